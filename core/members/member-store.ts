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
  onAdded?: (member: Member) => void
}

export interface NewMember {
  name: string
  type: MemberType
  role?: WorkspaceRole
  email?: string
  /** The person to whom an agent belongs; defaults to the first owner. */
  ownerId?: string
  scopes?: readonly string[]
  description?: string
}

/** The resolution of a key's last use: a commit for every request would be too expensive. */
const lastUsedIntervalMs = 60_000

export class MemberStore {
  private readonly deps: MemberStoreDeps
  private readonly issuer: Keys
  private directory: MemberDirectory
  private nameVersion = 0
  private readonly memberDeactivated = new Signal<string>()
  private readonly emailChanged = new Signal<Member>()

  constructor(deps: MemberStoreDeps) {
    this.deps = deps
    this.issuer = new Keys(deps)
    this.directory = buildDirectory(deps.members.all(), deps.keys.all())
  }

  /** Increases when a member joins, leaves, returns or is renamed. */
  get version(): number {
    return this.nameVersion
  }

  /** Looks a bearer key up by hash alone, so that timing reveals nothing. */
  authenticate(key: string): Caller | null {
    const live = this.directory.liveKeys.get(hash('sha256', key, 'hex'))
    if (!live || this.hasExpired(live.caller)) return null
    this.recordUse(live.record)
    return live.caller
  }

  /** Returns null if the key is no longer valid. */
  refreshCaller({ keyId }: Caller): Caller | null {
    const caller = this.directory.callers.get(keyId)
    return caller && !this.hasExpired(caller) ? caller : null
  }

  find(id: string): Member | null {
    return this.directory.byId.get(id) ?? null
  }

  /** By id, exact name or slug; active members first. */
  resolve(idOrSlugOrName: string): Member | null {
    const { byId, byName } = this.directory
    return byId.get(idOrSlugOrName) ?? byName.get(idOrSlugOrName) ?? null
  }

  all(): readonly Member[] {
    return this.directory.all
  }

  /** Oldest first. The same array until something changes. */
  active(): readonly Member[] {
    return this.directory.active
  }

  /** Names of active members by id. The same object until something changes. */
  names(): Readonly<Record<string, string>> {
    return this.directory.names
  }

  /** The oldest active owner, people first. One always exists: the last cannot be deactivated. */
  firstOwner(): Member {
    const owners = this.directory.active.filter(({ role }) => role === 'owner')
    const owner = owners.find(({ type }) => type === 'human') ?? owners[0]
    if (!owner) throw new Error('The workspace has no active owner.')
    return owner
  }

  keys(memberId: string): readonly KeyRecord[] {
    return this.directory.keys.get(memberId) ?? []
  }

  /** The key is returned only here. `hooks` runs in the commit; if it throws, nothing is added. */
  async add(
    request: NewMember,
    hooks: { before?: () => void; after?: (member: Member) => void } = {},
  ): Promise<{ member: Member; key: string }> {
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
      hooks.before?.()
      this.requireAvailableName(name)
      members.insert(row)
      onAdded?.(row)
      hooks.after?.(row)
      return this.issuer.issue(row, scopes ? { scopes } : {})
    })
    return { member: this.find(row.id)!, key }
  }

  /** Keys stop with a deactivation. @throws WorkspaceError `conflict` without another active owner */
  async change(id: string, changes: MemberChanges): Promise<Member> {
    const { members } = this.deps
    // An existing name stays valid if the rules change.
    const isSameName = changes.name === this.find(id)?.name
    requireProfile(isSameName ? { ...changes, name: undefined } : changes)
    await this.commit(() => {
      const member = members.find(id)
      if (!member) throw noSuchMemberError(id)
      const changed = { ...member, ...changes }
      if (isActiveOwner(member) && !isActiveOwner(changed)) this.requireAnotherOwner(member)
      const takesName = changed.name !== member.name || member.status !== 'active'
      if (changed.status === 'active' && takesName) this.requireAvailableName(changed.name)
      members.update(changed)
      if (changed.email !== member.email) this.emailChanged.emit(member)
    })
    return this.find(id)!
  }

  setStatus(id: string, status: MemberStatus): Promise<Member> {
    return this.change(id, { status })
  }

  addKey(memberId: string, request: NewKey = {}): Promise<IssuedKey> {
    return this.commit(() => this.issuer.issue(this.requireActive(memberId), request))
  }

  /** As `Keys.rotate`. @throws WorkspaceError `conflict` for a deactivated member */
  rotateKey(memberId: string, id: string): Promise<IssuedKey> {
    return this.commit(() => this.issuer.rotate(this.requireActive(memberId).id, id))
  }

  revokeKey(id: string): Promise<void> {
    return this.commit(() => this.issuer.revoke(id))
  }

  refresh(): void {
    const previous = this.directory
    this.directory = buildDirectory(this.deps.members.all(), this.deps.keys.all())
    this.keepLastUsed(previous)
    for (const { id } of previous.active) {
      if (this.find(id)?.status !== 'active') this.memberDeactivated.emit(id)
    }
    if (!haveSameNames(previous.all, this.directory.all)) this.nameVersion += 1
  }

  /** Reports each deactivated member, even if another process deactivated them. */
  onDeactivated(listener: (memberId: string) => void): void {
    this.memberDeactivated.listen(listener)
  }

  /** Calls `listener` inside each commit of this process that changes a mail address. */
  onEmailChange(listener: (before: Member) => void): void {
    this.emailChanged.listen(listener)
  }

  private hasExpired({ expiresMs }: Caller): boolean {
    return expiresMs !== undefined && expiresMs <= this.deps.clock.now()
  }

  private async commit<T>(write: () => T): Promise<T> {
    const result = await commitOrUnavailable(this.deps.database, write)
    this.refresh()
    return result
  }

  /** A last use that is not committed yet is only in memory. */
  private keepLastUsed(previous: MemberDirectory): void {
    for (const [keyHash, { record }] of this.directory.liveKeys) {
      const lastUsedMs = previous.liveKeys.get(keyHash)?.record.lastUsedMs
      if (lastUsedMs && lastUsedMs > (record.lastUsedMs ?? 0)) record.lastUsedMs = lastUsedMs
    }
  }

  private recordUse(record: ActiveKey['record']): void {
    const nowMs = this.deps.clock.now()
    if (record.lastUsedMs !== null && Math.abs(nowMs - record.lastUsedMs) < lastUsedIntervalMs) return
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

  /** Must be called inside the commit, so that the name cannot be taken in between. */
  private requireAvailableName(name: string): void {
    if (!this.deps.members.findActive(name)) return
    throw new WorkspaceError('conflict', `The name ${name} is taken by an active member. Choose another.`)
  }

  /** Agents do not count: administration requires an unlimited key, which no agent has. */
  private requireAnotherOwner(member: Member): void {
    if (member.type === 'agent' || this.deps.members.countOwningPeople() > 1) return
    throw new WorkspaceError(
      'conflict',
      `${member.name} is the last active owner and cannot be deactivated or change role. Make another person an owner first.`,
    )
  }

  private requireActive(id: string): Member {
    const member = this.deps.members.find(id)
    if (!member) throw noSuchMemberError(id)
    if (member.status === 'active') return member
    throw new WorkspaceError('conflict', `${member.name} is deactivated. Activate the member first.`)
  }
}

const noSuchMemberError = (id: string) => new WorkspaceError('not_found', `There is no member ${id}.`)

const isActiveOwner = ({ role, status }: MemberRow) => role === 'owner' && status === 'active'

function haveSameNames(left: readonly Member[], right: readonly Member[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ id, name, status }, index) => {
      const other = right[index]!
      return id === other.id && name === other.name && status === other.status
    })
  )
}
