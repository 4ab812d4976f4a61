import type { Caller, Member, MemberType } from '../access/member.ts'
import { requireAdministration, requireOwnerFor } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { InviteStore, InviteView, IssuedInvite, NewInvite } from './invite-store.ts'
import type { MemberStore, NewMember } from './member-store.ts'
import { type MemberDetail, memberDetail } from './views.ts'

/** How somebody without a key asks to be let in. */
export interface Onboarding {
  /** The code, as it was typed. */
  invite: string
  name: string
  /** Counts where the invite leaves it open; `agent`, which may do less, where nobody says. */
  type?: MemberType
  /** Refuses an invite that is for others, and does not use it up. */
  expectedType?: MemberType
  email?: string
}

interface InvitesDeps {
  members: MemberStore
  invites: InviteStore
}

/** Codes with which people and agents become members by themselves (`docs/interface.md#members-and-keys`). */
export class Invites {
  private readonly deps: InvitesDeps

  constructor(deps: InvitesDeps) {
    this.deps = deps
  }

  /**
   * Makes an invite; only an owner invites an owner.
   * @throws WorkspaceError `forbidden`; `bad_request` for a number of uses or a time that cannot be
   */
  create(caller: Caller, request: NewInvite): Promise<IssuedInvite> {
    requireAdministration(caller)
    if (request.role === 'owner') requireOwnerFor(caller, 'invite an owner')
    return this.deps.invites.issue(caller.member, request)
  }

  /** Those that are good, oldest first. @throws WorkspaceError `forbidden` */
  list(caller: Caller): InviteView[] {
    requireAdministration(caller)
    return this.deps.invites.open()
  }

  /** Ends an invite at once. @throws WorkspaceError `forbidden`, `not_found` */
  async revoke(caller: Caller, id: string): Promise<void> {
    requireAdministration(caller)
    await this.deps.invites.removeExpired(id)
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
    expectedType,
    email,
  }: Onboarding): Promise<{ member: MemberDetail; key: string; uses: number }> {
    const { invites, members } = this.deps
    const row = invites.find(invite)
    if (!row) throw invalidInviteError()
    if (expectedType && row.type && row.type !== expectedType) throw wrongTypeError(row.type)
    const request: NewMember = { name, type: row.type ?? type ?? 'agent', role: row.role }
    if (email !== undefined) request.email = email
    if (request.type === 'agent') request.ownerId = this.ownerForAgent(row.createdBy).id
    // In the commit that adds the member: of two who come with the last use, one is let in.
    const { member, key } = await members.add(request, () => {
      if (!invites.use(row.id)) throw invalidInviteError()
    })
    return { member: memberDetail(member, true), key, uses: row.uses }
  }

  private ownerForAgent(inviterId: string): Member {
    const { members } = this.deps
    const inviter = members.find(inviterId)
    return inviter?.type === 'human' && inviter.status === 'active' ? inviter : members.firstOwner()
  }
}

/** The same words whatever is wrong with it: a guess learns nothing. */
const invalidInviteError = () =>
  new WorkspaceError(
    'forbidden',
    'This invite is not valid: it is unknown, used up, expired or revoked. Ask an owner or admin for another.',
  )

const wrongTypeError = (type: MemberType) =>
  type === 'agent'
    ? new WorkspaceError('forbidden', 'This invite is for an agent.', {
        next: { step: 'use the invite as an agent' },
      })
    : new WorkspaceError(
        'forbidden',
        'This invite is for a person, who uses it on the page /join. Ask an owner or admin for one for agents.',
      )
