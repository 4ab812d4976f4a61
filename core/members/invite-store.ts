import type { Database } from '../../data/database.ts'
import type { InviteRow, InvitesTable } from '../../data/tables/invites.ts'
import type { Member, MemberType, WorkspaceRole } from '../access/member.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { hashOfInviteCode, newInviteCode } from './invite-code.ts'

export interface NewInvite {
  role?: WorkspaceRole
  type?: MemberType | null
  uses?: number
  /** Unix milliseconds. Absent or null: never. */
  expiresAt?: number | null
  /** Ids of what the new member joins. */
  projects?: readonly string[]
  rooms?: readonly string[]
}

export interface IssuedInvite {
  id: string
  code: string
  role: WorkspaceRole
  type: MemberType | null
  uses: number
  expiresAt: number | null
  projects?: string[]
  rooms?: string[]
}

export interface InviteView {
  id: string
  role: WorkspaceRole
  type: MemberType | null
  usesLeft: number
  expiresAt: number | null
  createdBy: string
  createdAt: number
  projects?: string[]
  rooms?: string[]
}

interface InviteStoreDeps {
  database: Database
  invites: InvitesTable
  clock: Clock
  random: RandomBytes
  newId: NewId
}

const maxUses = 10_000

/** Checks no permissions. */
export class InviteStore {
  constructor(private readonly deps: InviteStoreDeps) {}

  async issue(inviter: Member, request: NewInvite): Promise<IssuedInvite> {
    const { clock, database, invites, newId, random } = this.deps
    const { role = 'member', type = null, uses = 1, expiresAt = null, projects = [], rooms = [] } = request
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
      projects: [...projects],
      rooms: [...rooms],
    }
    await commitOrUnavailable(database, () => {
      invites.trim(nowMs)
      invites.insert(row)
    })
    return { id: row.id, code, role, type, uses, expiresAt, ...placesOf(row) }
  }

  open(): InviteView[] {
    return this.deps.invites.valid(this.deps.clock.now()).map(inviteView)
  }

  revoke(idOrCode: string): Promise<string> {
    const { clock, database, invites } = this.deps
    const hash = hashOfInviteCode(idOrCode)
    return commitOrUnavailable(database, () => {
      const id = (hash && invites.find(hash, clock.now())?.id) || idOrCode
      if (invites.remove(id)) return id
      throw new WorkspaceError('not_found', `There is no invite ${idOrCode} (any more).`)
    })
  }

  find(code: string): InviteRow | null {
    const { clock, invites } = this.deps
    const hash = hashOfInviteCode(code)
    return (hash && invites.find(hash, clock.now())) || null
  }

  /** Must be called inside the commit that adds the member. Returns false if none is left. */
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
  throw new WorkspaceError('bad_request', 'expiresAt must be a future time, in Unix milliseconds.')
}

const inviteView = (row: InviteRow): InviteView => ({
  id: row.id,
  role: row.role,
  type: row.type,
  usesLeft: row.usesLeft,
  expiresAt: row.expiresMs,
  createdBy: row.createdBy,
  createdAt: row.createdMs,
  ...placesOf(row),
})

const placesOf = ({ projects, rooms }: InviteRow) => ({
  ...(projects.length > 0 && { projects }),
  ...(rooms.length > 0 && { rooms }),
})
