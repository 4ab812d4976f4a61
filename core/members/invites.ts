import type { Caller, Member, MemberType } from '../access/member.ts'
import { requireAdministration, requireOwnerFor } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { InviteStore, InviteView, IssuedInvite, NewInvite } from './invite-store.ts'
import type { MemberStore, NewMember } from './member-store.ts'
import { type MemberDetail, memberDetail } from './views.ts'

export interface Onboarding {
  invite: string
  name: string
  /** Used if the invite leaves it open. Default `agent`, which has fewer permissions. */
  type?: MemberType
  /** Refuses an invite of another type without using it. */
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
    /** The ids of what the caller may invite to. @throws WorkspaceError */
    require(caller: Caller, request: Partial<Places>): Places
    /** Within the commit that adds the member; `refresh` follows it. */
    join(member: Member, places: Places, inviter: Member | null): void
    choices(caller: Caller): OfferedPlaces
    names(caller: Caller, places: Partial<Places>): string[]
    refresh(): void
  }
}

/** Codes with which people and agents join (`docs/interface.md#members-and-keys`). */
export class Invites {
  private readonly deps: InvitesDeps

  constructor(deps: InvitesDeps) {
    this.deps = deps
  }

  /**
   * Only an owner invites an owner.
   * @param request `projects`, `rooms`: by id or slug
   * @throws WorkspaceError `forbidden`; `bad_request` for an invalid number of uses or time, project or room
   */
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

  /** The projects and rooms that the caller may invite to. */
  choices(caller: Caller): OfferedPlaces {
    requireAdministration(caller)
    return this.deps.places.choices(caller)
  }

  /** The names of the projects and rooms that an invite leads to. */
  placeNames(caller: Caller, invite: InviteView): string[] {
    requireAdministration(caller)
    return this.deps.places.names(caller, invite)
  }

  async revoke(caller: Caller, id: string): Promise<void> {
    requireAdministration(caller)
    await this.deps.invites.removeExpired(id)
  }

  /**
   * Redeems an invite: adds a member with a key, which is only returned once, to its projects and rooms. Role and type are the invite's. An
   * agent belongs to the person who invited it, or to the first owner if the inviter is no person or has left.
   * @throws WorkspaceError `forbidden` for an invalid invite, or one of another type; `bad_request` for an invalid
   * name or address, and `conflict` for a name that is taken. None of them uses the invite up.
   * @returns also the invite's number of uses
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
    // In the commit that adds the member: of two requests with the last use, one succeeds.
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

/** The same message for all reasons, so that a guess reveals nothing. */
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
