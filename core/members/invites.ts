import type { Caller, Member, MemberType } from '../access/member.ts'
import { requireAdministration, requireOwnerFor } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { InviteStore, InviteView, IssuedInvite, NewInvite } from './invite-store.ts'
import type { MemberStore, NewMember } from './member-store.ts'
import { type MemberDetail, memberDetail } from './views.ts'

export interface Onboarding {
  invite: string
  name: string
  /** Used if the invite leaves it open. Defaults to `agent`, which has fewer permissions. */
  type?: MemberType
  /** An invite of another type is refused without using it up. */
  expectedType?: MemberType
  email?: string
}

/** Ids or slugs in a request, ids in an invite. */
export interface Places {
  projects: readonly string[]
  rooms: readonly string[]
}

export interface OfferedPlaces {
  projects: { id: string; name: string; isOwn: boolean }[]
  rooms: { id: string; name: string; projectName: string | null }[]
}

interface InvitesDeps {
  members: MemberStore
  invites: InviteStore
  places: {
    /** Returns ids. @throws WorkspaceError if the caller may not invite to a place */
    require(caller: Caller, request: Partial<Places>): Places
    /** Called in the commit that adds the member; `refresh` follows it. */
    join(member: Member, places: Places, inviter: Member | null): void
    choices(caller: Caller): OfferedPlaces
    names(caller: Caller, places: Partial<Places>): string[]
    refresh(): void
  }
}

export class Invites {
  constructor(private readonly deps: InvitesDeps) {}

  /** Only an owner invites an owner. @throws WorkspaceError `bad_request` for invalid uses, time or places */
  async create(caller: Caller, request: NewInvite): Promise<IssuedInvite> {
    requireAdministration(caller)
    if (request.role === 'owner') requireOwnerFor(caller, 'invite an owner')
    const { projects = [], rooms = [] } = request
    const places = this.deps.places.require(caller, { projects, rooms })
    return this.deps.invites.issue(caller.member, { ...request, ...places })
  }

  list(caller: Caller): InviteView[] {
    requireAdministration(caller)
    return this.deps.invites.open()
  }

  choices(caller: Caller): OfferedPlaces {
    requireAdministration(caller)
    return this.deps.places.choices(caller)
  }

  placeNames(caller: Caller, invite: InviteView): string[] {
    requireAdministration(caller)
    return this.deps.places.names(caller, invite)
  }

  async revoke(caller: Caller, id: string): Promise<void> {
    requireAdministration(caller)
    await this.deps.invites.revoke(id)
  }

  /**
   * The key is returned only here. An agent belongs to the inviting person, or else to the first owner.
   * @throws WorkspaceError `forbidden` for an invalid invite or another type; as `MemberStore.add`. No refusal
   * uses the invite up.
   */
  async redeem({
    invite,
    name,
    type,
    expectedType,
    email,
  }: Onboarding): Promise<{ member: MemberDetail; key: string; uses: number }> {
    const { invites, members, places } = this.deps
    const row = invites.find(invite)
    if (!row) throw invalidInviteError()
    if (expectedType && row.type && row.type !== expectedType) throw wrongTypeError(row.type)
    const request: NewMember = { name, type: row.type ?? type ?? 'agent', role: row.role }
    if (email !== undefined) request.email = email
    if (request.type === 'agent') request.ownerId = this.ownerForAgent(row.createdBy).id
    // In the commit that adds the member, so that of two requests with the last use one succeeds.
    const { member, key } = await members.add(request, {
      before: () => {
        if (!invites.use(row.id)) throw invalidInviteError()
      },
      after: (added) => places.join(added, row, members.find(row.createdBy)),
    })
    places.refresh()
    return { member: memberDetail(member, true), key, uses: row.uses }
  }

  private ownerForAgent(inviterId: string): Member {
    const { members } = this.deps
    const inviter = members.find(inviterId)
    return inviter?.type === 'human' && inviter.status === 'active' ? inviter : members.firstOwner()
  }
}

/** One message for all reasons, so that a guess reveals nothing. */
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
