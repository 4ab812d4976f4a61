import { hash } from 'node:crypto'
import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { KeysTable } from '../../data/tables/keys.ts'
import type { MemberRow, MembersTable } from '../../data/tables/members.ts'
import type {
  Caller,
  Member,
  MemberChanges,
  MemberStatus,
  MemberType,
  WorkspaceRole,
} from '../access/member.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { type ActiveKey, buildDirectory, type KeyRecord, type MemberDirectory } from './directory.ts'
import { type IssuedKey, Keys, type NewKey } from './keys.ts'
import { requireProfile } from './profile.ts'

interface MemberStoreDeps {
  database: Database
  members: MembersTable
  keys: KeysTable
  clock: Clock
  random: RandomBytes
  newId: NewId
  /** What else a new member's commit does; run within it. */
  onAdded?: (member: Member) => void
}

export interface NewMember {
  name: string
  type: MemberType
  /** Default `member`. */
  role?: WorkspaceRole
  email?: string
  /** The person to whom an agent belongs; default the first owner. */
  ownerId?: string
  /** Of the first key; default all that the type can have. */
  scopes?: readonly string[]
  description?: string
}

/** When a key was last used is kept to the minute: a commit for every request would be too dear. */
const useIsNotedEveryMs = 60_000

/** The members of the workspace and their keys, all in memory and all in the database. */
export class MemberStore {
  private readonly deps: MemberStoreDeps
  private readonly issuing: Keys
  private directory: MemberDirectory
  private nameVersion = 0
  private readonly left = new Signal<string>()
  private readonly emailChanged = new Signal<Member>()

  constructor(deps: MemberStoreDeps) {
    this.deps = deps
    this.issuing = new Keys(deps)
    this.directory = buildDirectory(deps.members.all(), deps.keys.all())
  }

  /** Rises whenever somebody came, left, returned or was renamed. */
  get version(): number {
    return this.nameVersion
  }

  /**
   * Whom a bearer key stands for, in microseconds. Keys are compared by hash alone, so that the time it takes
   * tells nothing about them.
   * @returns null when the key is unknown or revoked, or its member is deactivated
   */
  authenticate(key: string): Caller | null {
    const live = this.directory.liveKeys.get(hash('sha256', key, 'hex'))
    if (!live) return null
    this.recordUse(live.record)
    return live.caller
  }

  /** Whom the key of a request that has been held stands for by now; null when it does not open any more. */
  refreshCaller({ keyId }: Caller): Caller | null {
    return this.directory.callers.get(keyId) ?? null
  }

  find(id: string): Member | null {
    return this.directory.byId.get(id) ?? null
  }

  /** The member whom an id, an exact name or the slug of a name means; those who are active come first. */
  resolve(idOrSlugOrName: string): Member | null {
    const { byId, byName } = this.directory
    return byId.get(idOrSlugOrName) ?? byName.get(idOrSlugOrName) ?? null
  }

  /** Oldest first, those who left among them. */
  all(): readonly Member[] {
    return this.directory.all
  }

  /** Oldest first. The same array until something changes. */
  active(): readonly Member[] {
    return this.directory.active
  }

  /** Present names of the active members by id. The same object until something changes. */
  names(): Readonly<Record<string, string>> {
    return this.directory.names
  }

  /** The oldest active owner, a person before an agent. There always is one: the last cannot be deactivated. */
  firstOwner(): Member {
    const owners = this.directory.active.filter(({ role }) => role === 'owner')
    const owner = owners.find(({ type }) => type === 'human') ?? owners[0]
    if (!owner) throw new Error('The workspace has no active owner.')
    return owner
  }

  /** A member's keys, oldest first. */
  keys(memberId: string): readonly KeyRecord[] {
    return this.directory.keys.get(memberId) ?? []
  }

  /**
   * Adds a member with a first key, which is in no other answer ever again.
   * @param alongside what else the commit does, first of all; where it throws, nobody is added
   * @throws WorkspaceError `bad_request` for what breaks a rule, `conflict` where the name is taken
   */
  async add(request: NewMember, alongside: () => void = () => {}): Promise<{ member: Member; key: string }> {
    const { clock, members, newId, onAdded } = this.deps
    const { name, type, role = 'member', email = '', description = '', scopes } = request
    requireProfile({ name, email, description })
    const row: MemberRow = {
      id: newId('mem'),
      name,
      type,
      role,
      status: 'active',
      email,
      ownerId: this.ownerOf(type, request.ownerId),
      avatarUrl: '',
      statusText: '',
      description,
      emailNotifications: true,
      createdMs: clock.now(),
    }
    const { key } = await this.commit(() => {
      alongside()
      this.requireFreeName(name)
      members.insert(row)
      onAdded?.(row)
      return this.issuing.issue(row, scopes ? { scopes } : {})
    })
    return { member: this.find(row.id)!, key }
  }

  /**
   * Changes a member, all of it or nothing. The keys of one who is deactivated stop working at once; those of one who
   * is activated work again.
   * @throws WorkspaceError `not_found`; `bad_request` for a text that breaks its rule; `conflict` where the name is
   *   taken, or no active owner would be left
   */
  async change(id: string, changes: MemberChanges): Promise<Member> {
    const { members } = this.deps
    // A name that stands stays good, whatever the rule has become.
    const isSameName = changes.name === this.find(id)?.name
    requireProfile(isSameName ? { ...changes, name: undefined } : changes)
    await this.commit(() => {
      const member = members.find(id)
      if (!member) throw noSuchMember(id)
      const changed = { ...member, ...changes }
      if (isActiveOwner(member) && !isActiveOwner(changed)) this.requireAnotherOwner(member)
      const takesName = changed.name !== member.name || member.status !== 'active'
      if (changed.status === 'active' && takesName) this.requireFreeName(changed.name)
      members.update(changed)
      if (changed.email !== member.email) this.emailChanged.emit(member)
    })
    return this.find(id)!
  }

  /** Deactivates a member, or activates one. @throws WorkspaceError as `change` */
  setStatus(id: string, status: MemberStatus): Promise<Member> {
    return this.change(id, { status })
  }

  /**
   * Adds a key; it is in no other answer ever again.
   * @throws WorkspaceError `not_found`; `bad_request` for an unknown scope; `conflict` for a deactivated member
   */
  addKey(memberId: string, request: NewKey = {}): Promise<IssuedKey> {
    return this.commit(() => this.issuing.issue(this.requireActive(memberId), request))
  }

  /**
   * Puts a new key in the place of one, with its label and scopes; the old one ends as the new one begins.
   * @throws WorkspaceError `not_found`, also for a key of somebody else; `conflict` for a deactivated member
   */
  rotateKey(memberId: string, id: string): Promise<IssuedKey> {
    return this.commit(() => this.issuing.rotate(this.requireActive(memberId).id, id))
  }

  /** Ends a key at once. @throws WorkspaceError `not_found` */
  revokeKey(id: string): Promise<void> {
    return this.commit(() => this.issuing.revoke(id))
  }

  /** Reads everything again: another process may have changed it. */
  refresh(): void {
    const before = this.directory
    this.directory = buildDirectory(this.deps.members.all(), this.deps.keys.all())
    this.keepLastUsed(before)
    for (const { id } of before.active) {
      if (this.find(id)?.status !== 'active') this.left.emit(id)
    }
    if (!haveSameNames(before.all, this.directory.all)) this.nameVersion += 1
  }

  /** Calls `listener` with each member who is active no more, also where another process has deactivated them. */
  deactivated(listener: (memberId: string) => void): void {
    this.left.listen(listener)
  }

  /** Calls `listener` inside each commit of this process that gives a member another mail address, with the member before. */
  onEmailChange(listener: (before: Member) => void): void {
    this.emailChanged.listen(listener)
  }

  /** Commits, and knows from then on what was written. */
  private async commit<T>(write: () => T): Promise<T> {
    const result = await commitOrUnavailable(this.deps.database, write)
    this.refresh()
    return result
  }

  /** A use that waits for the next commit is known here alone. */
  private keepLastUsed(before: MemberDirectory): void {
    for (const [keyHash, { record }] of this.directory.liveKeys) {
      const known = before.liveKeys.get(keyHash)?.record.lastUsedMs
      if (known && known > (record.lastUsedMs ?? 0)) record.lastUsedMs = known
    }
  }

  private recordUse(record: ActiveKey['record']): void {
    const nowMs = this.deps.clock.now()
    if (record.lastUsedMs !== null && Math.abs(nowMs - record.lastUsedMs) < useIsNotedEveryMs) return
    record.lastUsedMs = nowMs
    this.deps.database.commitLater(() => this.deps.keys.touch(record.id, nowMs))
  }

  private ownerOf(type: MemberType, ownerId: string | undefined): string | null {
    if (type === 'human') {
      if (ownerId === undefined) return null
      throw new WorkspaceError('bad_request', 'Only an agent has an owner.')
    }
    const owner = ownerId === undefined ? this.firstOwner() : this.find(ownerId)
    if (owner?.type === 'human' && owner.status === 'active') return owner.id
    throw new WorkspaceError(
      'bad_request',
      'The owner of an agent must be an active person of the workspace.',
    )
  }

  /** Within a commit, where nobody can take the name in between. */
  private requireFreeName(name: string): void {
    if (!this.deps.members.findActive(name)) return
    throw new WorkspaceError('conflict', `The name ${name} is taken by an active member. Choose another.`)
  }

  /**
   * Within a commit, for an active owner who is to be one no more. An agent does not count: administration takes an
   * unlimited key, which no agent has.
   */
  private requireAnotherOwner(member: Member): void {
    if (member.type === 'agent' || this.deps.members.countOwningPeople() > 1) return
    throw new WorkspaceError(
      'conflict',
      `${member.name} is the last active owner and cannot be deactivated or change role. Make another person an owner first.`,
    )
  }

  /** Within a commit. */
  private requireActive(id: string): Member {
    const member = this.deps.members.find(id)
    if (!member) throw noSuchMember(id)
    if (member.status === 'active') return member
    throw new WorkspaceError('conflict', `${member.name} is deactivated. Activate the member first.`)
  }
}

const noSuchMember = (id: string) => new WorkspaceError('not_found', `There is no member ${id}.`)

const isActiveOwner = ({ role, status }: MemberRow) => role === 'owner' && status === 'active'

/** Whether both lists, oldest first, show everybody under the same name, as here or as gone. */
function haveSameNames(ones: readonly Member[], others: readonly Member[]): boolean {
  return (
    ones.length === others.length &&
    ones.every(({ id, name, status }, index) => {
      const other = others[index]!
      return id === other.id && name === other.name && status === other.status
    })
  )
}
