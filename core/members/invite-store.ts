import type { Database } from '../../data/database.ts'
import type { InviteRow, InvitesTable } from '../../data/tables/invites.ts'
import type { Member, MemberType, WorkspaceRole } from '../access/member.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { hashOfInviteCode, newInviteCode } from './invite-code.ts'

export interface NewInvite {
  /** Default `member`. */
  role?: WorkspaceRole
  /** Left out or null: whoever uses it chooses. */
  type?: MemberType | null
  /** Number of uses. Default 1. */
  uses?: number
  /** Unix time in milliseconds. Left out or null: never. */
  expiresAt?: number | null
}

/** An invite as the one answer shows it that holds the code. */
export interface IssuedInvite {
  id: string
  code: string
  role: WorkspaceRole
  type: MemberType | null
  uses: number
  expiresAt: number | null
}

/** An invite as it is listed. Times are Unix milliseconds. */
export interface InviteView {
  id: string
  role: WorkspaceRole
  type: MemberType | null
  usesLeft: number
  expiresAt: number | null
  /** Member id. */
  createdBy: string
  createdAt: number
}

interface InviteStoreDeps {
  database: Database
  invites: InvitesTable
  clock: Clock
  random: RandomBytes
  newId: NewId
}

const maxUses = 10_000

/** The invites that are open. Nobody's permission is checked. */
export class InviteStore {
  private readonly deps: InviteStoreDeps

  constructor(deps: InviteStoreDeps) {
    this.deps = deps
  }

  /** Makes an invite in the name of a member. @throws WorkspaceError `bad_request` */
  async issue(inviter: Member, request: NewInvite): Promise<IssuedInvite> {
    const { clock, database, invites, newId, random } = this.deps
    const { role = 'member', type = null, uses = 1, expiresAt = null } = request
    requireUses(uses)
    const nowMs = clock.now()
    if (expiresAt !== null) requireFuture(expiresAt, nowMs)
    const code = newInviteCode(random)
    const row: InviteRow = {
      id: newId('inv'),
      hash: hashOfInviteCode(code)!,
      role,
      type,
      uses,
      usesLeft: uses,
      expiresMs: expiresAt,
      createdBy: inviter.id,
      createdMs: nowMs,
    }
    await commitOrUnavailable(database, () => {
      invites.trim(nowMs)
      invites.insert(row)
    })
    return { id: row.id, code, role, type, uses, expiresAt }
  }

  /** Those that are good, oldest first. */
  open(): InviteView[] {
    return this.deps.invites.good(this.deps.clock.now()).map(inviteView)
  }

  /** Ends an invite at once, by its id or its code. @returns its id @throws WorkspaceError `not_found` */
  removeExpired(idOrCode: string): Promise<string> {
    const { clock, database, invites } = this.deps
    const hash = hashOfInviteCode(idOrCode)
    return commitOrUnavailable(database, () => {
      const id = (hash && invites.find(hash, clock.now())?.id) || idOrCode
      if (invites.remove(id)) return id
      throw new WorkspaceError('not_found', `There is no invite ${idOrCode} (any more).`)
    })
  }

  /** The invite of a code as it was typed; null: there is none that is good. */
  find(code: string): InviteRow | null {
    const { clock, invites } = this.deps
    const hash = hashOfInviteCode(code)
    return (hash && invites.find(hash, clock.now())) || null
  }

  /** Uses an invite up by one, within the commit that lets somebody in. @returns false when nothing is left of it */
  use(id: string): boolean {
    return this.deps.invites.use(id)
  }
}

function requireUses(uses: number): void {
  if (Number.isSafeInteger(uses) && uses >= 1 && uses <= maxUses) return
  throw new WorkspaceError('bad_request', `uses must be a whole number from 1 to ${maxUses}.`)
}

function requireFuture(expiresAt: number, nowMs: number): void {
  if (Number.isSafeInteger(expiresAt) && expiresAt > nowMs) return
  throw new WorkspaceError('bad_request', 'expiresAt must be a time to come, in Unix milliseconds.')
}

const inviteView = (row: InviteRow): InviteView => ({
  id: row.id,
  role: row.role,
  type: row.type,
  usesLeft: row.usesLeft,
  expiresAt: row.expiresMs,
  createdBy: row.createdBy,
  createdAt: row.createdMs,
})
