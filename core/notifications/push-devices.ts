import type { Database } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import type { PushSubscriptionRow, PushSubscriptionsTable } from '../../data/tables/push.ts'
import type { SessionsTable } from '../../data/tables/sessions.ts'
import type { Caller } from '../access/member.ts'
import { requirePerson } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import { type NotificationKind, notificationKinds } from '../inbox/kinds.ts'
import type { Clock } from '../time/clock.ts'
import type { PushKeys } from './push-keys.ts'

/** As the Push API names them. */
interface NewPushDevice {
  endpoint: string
  p256dh: string
  auth: string
}

export interface PushDeviceView {
  id: string
  device: string
  kinds: NotificationKind[]
  sound: boolean
  /** Whether it is the browser of the caller's session. */
  isThis: boolean
  createdAt: number
}

interface PushDevicesDeps {
  database: Database
  pushSubscriptions: PushSubscriptionsTable
  sessionRows: SessionsTable
  outbound: Outbound
  pushKeys: PushKeys
  clock: Clock
  newId: NewId
}

const maxEndpointLength = 2000

/** The browsers to which a caller's notifications are pushed, one for each session. */
export class PushDevices {
  constructor(private readonly deps: PushDevicesDeps) {}

  get publicKey(): string {
    return this.deps.pushKeys.publicKey
  }

  list({ member, keyId }: Caller): PushDeviceView[] {
    return this.deps.pushSubscriptions.ofMember(member.id).map((row) => viewOf(row, keyId))
  }

  /** Replaces the session's former subscription. @throws WorkspaceError `forbidden` for an agent or a key */
  async add(caller: Caller, device: NewPushDevice): Promise<PushDeviceView> {
    requirePerson(caller.member, 'receive notifications in a browser')
    const session = this.deps.sessionRows.find(caller.keyId)
    if (!session) {
      throw new WorkspaceError(
        'forbidden',
        'Notifications are turned on in a signed-in browser, not by a key.',
      )
    }
    requireDevice(device)
    const refusal = await this.deps.outbound.checkUrl(device.endpoint)
    if (refusal && refusal.category !== 'dns' && refusal.category !== 'timeout') {
      throw new WorkspaceError('bad_request', 'The endpoint is not the https address of a push service.')
    }
    const { clock, database, newId, pushSubscriptions } = this.deps
    return commitOrUnavailable(database, () => {
      const previous = pushSubscriptions
        .ofMember(caller.member.id)
        .find(({ sessionId, endpoint }) => sessionId === session.id || endpoint === device.endpoint)
      const row: PushSubscriptionRow = {
        id: newId('psh'),
        memberId: caller.member.id,
        sessionId: session.id,
        endpoint: device.endpoint,
        publicKey: device.p256dh,
        auth: device.auth,
        device: session.device,
        muted: previous?.muted ?? [],
        hasSound: previous?.hasSound ?? true,
        createdMs: clock.now(),
      }
      pushSubscriptions.removeFormer(session.id, device.endpoint)
      pushSubscriptions.put(row)
      return viewOf(row, caller.keyId)
    })
  }

  change(
    caller: Caller,
    id: string,
    { kinds, sound }: { kinds?: readonly NotificationKind[] | undefined; sound?: boolean | undefined },
  ): Promise<PushDeviceView> {
    return commitOrUnavailable(this.deps.database, () => {
      const row = this.require(caller, id)
      const changed = {
        ...row,
        ...(kinds && { muted: notificationKinds.filter((kind) => !kinds.includes(kind)) }),
        ...(sound !== undefined && { hasSound: sound }),
      }
      this.deps.pushSubscriptions.put(changed)
      return viewOf(changed, caller.keyId)
    })
  }

  remove(caller: Caller, id: string): Promise<void> {
    return commitOrUnavailable(this.deps.database, () =>
      this.deps.pushSubscriptions.remove(this.require(caller, id).id),
    )
  }

  private require({ member }: Caller, id: string): PushSubscriptionRow {
    const row = this.deps.pushSubscriptions.find(id)
    if (row?.memberId === member.id) return row
    throw new WorkspaceError('not_found', 'This browser no longer receives notifications.')
  }
}

/** A point of P-256 has 65 bytes, the secret has 16. */
function requireDevice({ endpoint, p256dh, auth }: NewPushDevice): void {
  const isKey = Buffer.from(p256dh, 'base64url').length === 65
  const isSecret = Buffer.from(auth, 'base64url').length === 16
  if (endpoint.length <= maxEndpointLength && isKey && isSecret) return
  throw new WorkspaceError(
    'bad_request',
    'Send endpoint, p256dh and auth as the browser’s PushSubscription has them.',
  )
}

const viewOf = (
  { id, device, muted, hasSound, sessionId, createdMs }: PushSubscriptionRow,
  keyId: string,
): PushDeviceView => ({
  id,
  device,
  kinds: notificationKinds.filter((kind) => !muted.includes(kind)),
  sound: hasSound,
  isThis: sessionId === keyId,
  createdAt: createdMs,
})
