import { hash } from 'node:crypto'
import type { Database } from '../../data/database.ts'
import type { KeysTable } from '../../data/tables/keys.ts'
import type { MembersTable } from '../../data/tables/members.ts'
import type { Clock } from '../clock.ts'
import { WorkspaceError } from '../errors.ts'
import { type NewId, newSecret, type RandomBytes } from '../ids.ts'
import { type Directory, directoryOf, type KeyRecord, type LiveKey } from './directory.ts'
import { requireDisplayName } from './display-name.ts'
import { defaultScopes, readScopes } from './scopes.ts'
import type { Caller, Member, MemberType, WorkspaceRole } from './types.ts'

export interface MembersParts {
  database: Database
  members: MembersTable
  keys: KeysTable
  clock: Clock
  random: RandomBytes
  newId: NewId
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
export class Members {
  private readonly parts: MembersParts
  private directory: Directory
  private nameVersion = 0

  constructor(parts: MembersParts) {
    this.parts = parts
    this.directory = directoryOf(parts.members.all(), parts.keys.all())
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
    this.noteUse(live.record)
    return live.caller
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

  /** The oldest active owner. There always is one: the last cannot be deactivated. */
  firstOwner(): Member {
    const owner = this.directory.active.find((member) => member.role === 'owner')
    if (!owner) throw new Error('The workspace has no active owner.')
    return owner
  }

  /** A member's keys, oldest first. */
  keys(memberId: string): readonly KeyRecord[] {
    return this.directory.keys.get(memberId) ?? []
  }

  /**
   * Adds a member with a first key, which is in no other answer ever again.
   * @throws WorkspaceError `bad_request` for what breaks a rule, `conflict` where the name is taken
   */
  async add(request: NewMember): Promise<{ member: Member; key: string }> {
    const { clock, database, members, newId } = this.parts
    const { name, type, role = 'member', email = '', description = '' } = request
    requireDisplayName(name)
    requireEmail(email)
    const scopes = request.scopes ? readScopes(request.scopes, type) : defaultScopes(type)
    const ownerId = this.ownerOf(type, request.ownerId)
    const id = newId('mem')
    const key = await database.commit(() => {
      this.requireFreeName(name)
      members.insert({
        id,
        name,
        type,
        role,
        status: 'active',
        email,
        ownerId,
        avatarUrl: '',
        statusText: '',
        description,
        createdMs: clock.now(),
      })
      return this.insertKey(newId('key'), id, '', scopes)
    })
    this.refresh()
    return { member: this.find(id)!, key }
  }

  /**
   * Deactivates a member, whose keys stop working at once, or activates one, whose old keys work again.
   * @throws WorkspaceError `not_found`; `conflict` for the last active owner, or where the name is taken meanwhile
   */
  async setStatus(id: string, status: Member['status']): Promise<Member> {
    const { database, members } = this.parts
    await database.commit(() => {
      const member = members.find(id)
      if (!member) throw noSuchMember(id)
      if (member.status === status) return
      if (status === 'active') this.requireFreeName(member.name)
      else this.requireAnotherOwner(member)
      members.setStatus(id, status)
    })
    this.refresh()
    return this.find(id)!
  }

  /**
   * Adds a key; it is in no other answer ever again.
   * @throws WorkspaceError `not_found`; `bad_request` for an unknown scope; `conflict` for a deactivated member
   */
  async addKey(
    memberId: string,
    request: { label?: string; scopes?: readonly string[] } = {},
  ): Promise<{ id: string; key: string; label: string; scopes: string[] }> {
    const { database, members, newId } = this.parts
    const label = request.label ?? ''
    requireLabel(label)
    const id = newId('key')
    const added = await database.commit(() => {
      const member = members.find(memberId)
      if (!member) throw noSuchMember(memberId)
      if (member.status !== 'active') {
        throw new WorkspaceError('conflict', `${member.name} is deactivated. Activate the member first.`)
      }
      const scopes = request.scopes ? readScopes(request.scopes, member.type) : defaultScopes(member.type)
      return { id, key: this.insertKey(id, memberId, label, scopes), label, scopes: [...scopes] }
    })
    this.refresh()
    return added
  }

  /** Ends a key at once. @throws WorkspaceError `not_found` */
  async revokeKey(id: string): Promise<void> {
    const { database, keys } = this.parts
    const isRevoked = await database.commit(() => keys.remove(id))
    if (!isRevoked) throw new WorkspaceError('not_found', `There is no key ${id}.`)
    this.refresh()
  }

  /** Reads everything again: another process may have changed it. */
  refresh(): void {
    const before = this.directory
    this.directory = directoryOf(this.parts.members.all(), this.parts.keys.all())
    this.carryUses(before)
    if (!sameNames(before.names, this.directory.names)) this.nameVersion += 1
  }

  /** A use that waits for the next commit is known here alone. */
  private carryUses(before: Directory): void {
    for (const [keyHash, { record }] of this.directory.liveKeys) {
      const known = before.liveKeys.get(keyHash)?.record.lastUsedMs
      if (known && known > (record.lastUsedMs ?? 0)) record.lastUsedMs = known
    }
  }

  private noteUse(record: LiveKey['record']): void {
    const nowMs = this.parts.clock.now()
    if (record.lastUsedMs !== null && Math.abs(nowMs - record.lastUsedMs) < useIsNotedEveryMs) return
    record.lastUsedMs = nowMs
    this.parts.database.defer(() => this.parts.keys.touch(record.id, nowMs))
  }

  /** Within a commit. @returns the key, of which only the hash is kept */
  private insertKey(id: string, memberId: string, label: string, scopes: readonly string[]): string {
    const { clock, keys, random } = this.parts
    const key = newSecret('wr_', random)
    keys.insert({
      id,
      memberId,
      hash: hash('sha256', key, 'buffer'),
      label,
      scopes: [...scopes],
      createdMs: clock.now(),
      lastUsedMs: null,
    })
    return key
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
    if (!this.parts.members.findActive(name)) return
    throw new WorkspaceError('conflict', `The name ${name} is taken by an active member. Choose another.`)
  }

  /** Within a commit. */
  private requireAnotherOwner(member: Member): void {
    if (member.role !== 'owner' || this.parts.members.countActiveOwners() > 1) return
    throw new WorkspaceError(
      'conflict',
      `${member.name} is the last active owner and cannot be deactivated. Make somebody else an owner first.`,
    )
  }
}

const noSuchMember = (id: string) => new WorkspaceError('not_found', `There is no member ${id}.`)

function requireEmail(email: string): void {
  if (email === '' || /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(email)) return
  throw new WorkspaceError('bad_request', 'An email address looks like ada@example.org.')
}

function requireLabel(label: string): void {
  if ([...label].length <= 80 && !/\p{Cc}/u.test(label)) return
  throw new WorkspaceError('bad_request', 'The label of a key is one line of at most 80 characters.')
}

function sameNames(one: Record<string, string>, other: Record<string, string>): boolean {
  const ids = Object.keys(one)
  return ids.length === Object.keys(other).length && ids.every((id) => one[id] === other[id])
}
