import type { Caller, Member, MemberChanges } from '../access/member.ts'
import {
  mayReadPrivateFields,
  requireAdministration,
  requireKeyAccess,
  requireKeyIssue,
  requireMemberChange,
  requireOwnerFor,
} from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Clock } from '../time/clock.ts'
import { type IssuedKey, type NewKey, noSuchKeyError } from './keys.ts'
import type { MemberStore, NewMember } from './member-store.ts'
import {
  type KeyView,
  keyView,
  type MemberDetail,
  type MemberView,
  memberDetail,
  memberView,
} from './views.ts'

interface MembersDeps {
  members: MemberStore
  clock: Clock
}

/** Members and keys with permission checks. `idOrName` is an id, a slug or an exact name. */
export class Members {
  constructor(private readonly deps: MembersDeps) {}

  list(): MemberView[] {
    return this.deps.members.active().map(memberView)
  }

  get(caller: Caller, idOrName: string): MemberDetail {
    return this.detail(caller, this.require(idOrName))
  }

  /** An agent belongs to the person named in the request, or else to the caller or the caller's person. */
  async add(caller: Caller, request: NewMember): Promise<{ member: MemberDetail; key: string }> {
    requireAdministration(caller)
    if (request.role === 'owner') requireOwnerFor(caller, 'make a member an owner')
    const ownerId = this.ownerFor(caller.member, request)
    const { member, key } = await this.deps.members.add({ ...request, ...(ownerId !== null && { ownerId }) })
    return { member: this.detail(caller, member), key }
  }

  async change(caller: Caller, idOrName: string, changes: MemberChanges): Promise<MemberDetail> {
    const member = this.require(idOrName)
    requireMemberChange(caller, member, { changes, nowMs: this.deps.clock.now() })
    if (Object.keys(changes).length === 0) {
      throw new WorkspaceError('bad_request', 'The body names nothing to change.')
    }
    return this.detail(caller, await this.deps.members.change(member.id, changes))
  }

  keys(caller: Caller, idOrName: string): KeyView[] {
    return this.deps.members.keys(this.requireKeyHolder(caller, idOrName).id).map(keyView)
  }

  addKey(caller: Caller, idOrName: string, request: NewKey): Promise<IssuedKey> {
    return this.deps.members.addKey(this.requireNewKeyHolder(caller, idOrName).id, request)
  }

  rotateKey(caller: Caller, idOrName: string, keyId: string): Promise<IssuedKey> {
    return this.deps.members.rotateKey(this.requireNewKeyHolder(caller, idOrName).id, keyId)
  }

  async revokeKey(caller: Caller, idOrName: string, keyId: string): Promise<void> {
    const member = this.requireKeyHolder(caller, idOrName)
    if (!this.deps.members.keys(member.id).some(({ id }) => id === keyId)) throw noSuchKeyError(keyId)
    await this.deps.members.revokeKey(keyId)
  }

  private require(idOrName: string): Member {
    const member = this.deps.members.resolve(idOrName)
    if (member) return member
    throw new WorkspaceError('not_found', `There is no member ${idOrName}.`, {
      next: { step: 'list members' },
    })
  }

  private requireKeyHolder(caller: Caller, idOrName: string): Member {
    const member = this.require(idOrName)
    requireKeyAccess(caller, member)
    return member
  }

  private requireNewKeyHolder(caller: Caller, idOrName: string): Member {
    const member = this.require(idOrName)
    requireKeyIssue(caller, member, this.deps.clock.now())
    return member
  }

  private detail(caller: Caller, member: Member): MemberDetail {
    return memberDetail(member, mayReadPrivateFields(caller.member, member))
  }

  private ownerFor(creator: Member, { type, ownerId }: NewMember): string | null {
    if (ownerId !== undefined) return this.deps.members.resolve(ownerId)?.id ?? ownerId
    if (type === 'human') return null
    return creator.type === 'human' ? creator.id : creator.ownerId
  }
}
