import type { Database } from '../../data/database.ts'
import type { InviteRow, InvitesTable } from '../../data/tables/invites.ts'
import type { Caller, Member, MemberType, WorkspaceRole } from '../access/member.ts'
import { requireAdministration, requireOwnerFor } from '../access/permissions.ts'
import { commitTo } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { hashOfInviteCode, newInviteCode } from './invite-code.ts'
import type { Members, NewMember } from './members.ts'
import { type MemberDetail, memberDetail } from './views.ts'

export interface NewInvite {
  /** Default `member`. */
  role?: WorkspaceRole
  /** Left out or null: whoever uses it chooses. */
  type?: MemberType | null
  /** How many may come with it. Default 1. */
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

/** How somebody without a key asks to be let in. */
export interface Onboarding {
  /** The code, as it was typed. */
  invite: string
  name: string
  /** Counts where the invite leaves it open; `agent`, which may do less, where nobody says. */
  type?: MemberType
  /** Refuses an invite that is for others, and does not use it up. */
  onlyFor?: MemberType
  email?: string
}

export interface InvitesParts {
  database: Database
  invites: InvitesTable
  members: Members
  clock: Clock
  random: RandomBytes
  newId: NewId
}

const maxUses = 10_000

/** Codes with which people and agents become members by themselves (`docs/interface.md#members-and-keys`). */
export class Invites {
  private readonly parts: InvitesParts

  constructor(parts: InvitesParts) {
    this.parts = parts
  }

  /**
   * Makes an invite; only an owner invites an owner.
   * @throws WorkspaceError `forbidden`; `bad_request` for a number of uses or a time that cannot be
   */
  create(caller: Caller, request: NewInvite): Promise<IssuedInvite> {
    requireAdministration(caller)
    if (request.role === 'owner') requireOwnerFor(caller, 'invite an owner')
    return this.issue(caller.member, request)
  }

  /** As `create`, in the name of a member whose permission is not in question. @throws WorkspaceError `bad_request` */
  async issue(inviter: Member, request: NewInvite): Promise<IssuedInvite> {
    const { clock, database, invites, newId, random } = this.parts
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
    await commitTo(database, () => {
      invites.trim(nowMs)
      invites.insert(row)
    })
    return { id: row.id, code, role, type, uses, expiresAt }
  }

  /** Those that are good, oldest first. @throws WorkspaceError `forbidden` */
  list(caller: Caller): InviteView[] {
    requireAdministration(caller)
    return this.open()
  }

  /** As `list`, for whom the permission is not in question. */
  open(): InviteView[] {
    return this.parts.invites.good(this.parts.clock.now()).map(inviteView)
  }

  /** Ends an invite at once. @throws WorkspaceError `forbidden`, `not_found` */
  async revoke(caller: Caller, id: string): Promise<void> {
    requireAdministration(caller)
    await this.end(id)
  }

  /** As `revoke`, for whom the permission is not in question; also by its code. @returns its id @throws WorkspaceError `not_found` */
  end(idOrCode: string): Promise<string> {
    const { clock, database, invites } = this.parts
    const hash = hashOfInviteCode(idOrCode)
    return commitTo(database, () => {
      const id = (hash && invites.find(hash, clock.now())?.id) || idOrCode
      if (invites.remove(id)) return id
      throw new WorkspaceError('not_found', `There is no invite ${idOrCode} (any more).`)
    })
  }

  /**
   * Makes whoever has an invite a member with a key, which is in no other answer ever again. Role and type are the
   * invite's. An agent belongs to the person who invited it, or to the first owner where that is no person or has left.
   * @throws WorkspaceError `forbidden` for an invite that is not good, or is for others; `bad_request` for a name or
   *   address that cannot be and `conflict` for a name that is taken. None of them uses the invite up.
   * @returns also how many the invite was made for
   */
  async redeem({
    invite,
    name,
    type,
    onlyFor,
    email,
  }: Onboarding): Promise<{ member: MemberDetail; key: string; uses: number }> {
    const { clock, invites, members } = this.parts
    const hash = hashOfInviteCode(invite)
    const row = hash && invites.find(hash, clock.now())
    if (!row) throw notGood()
    if (onlyFor && row.type && row.type !== onlyFor) throw forOthers(row.type)
    const request: NewMember = { name, type: row.type ?? type ?? 'agent', role: row.role }
    if (email !== undefined) request.email = email
    if (request.type === 'agent') request.ownerId = this.ownerFrom(row.createdBy).id
    // In the commit that adds the member: of two who come with the last use, one is let in.
    const { member, key } = await members.add(request, () => {
      if (!invites.use(row.id)) throw notGood()
    })
    return { member: memberDetail(member, true), key, uses: row.uses }
  }

  private ownerFrom(inviterId: string): Member {
    const { members } = this.parts
    const inviter = members.find(inviterId)
    return inviter?.type === 'human' && inviter.status === 'active' ? inviter : members.firstOwner()
  }
}

/** The same words whatever is wrong with it: a guess learns nothing. */
const notGood = () =>
  new WorkspaceError(
    'forbidden',
    'This invite is not good: it is unknown, used up, expired or revoked. Ask an owner or admin for another.',
  )

const forOthers = (type: MemberType) =>
  new WorkspaceError(
    'forbidden',
    type === 'agent'
      ? 'This invite is for an agent, which uses it with POST /v1/onboard. Ask an owner or admin for one for people.'
      : 'This invite is for a person, who uses it on the page /join. Ask an owner or admin for one for agents.',
  )

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
