import type { KeyRow } from '../../data/tables/keys.ts'
import type { Caller, Member, Scope } from '../access/member.ts'
import { slugOf } from '../text/slug.ts'

export interface KeyRecord {
  id: string
  label: string
  scopes: string[]
  createdMs: number
  lastUsedMs: number | null
  expiresMs: number | null
}

export interface ActiveKey {
  record: KeyRecord
  caller: Caller
}

/** All members and keys in memory, indexed for the checks of every request. */
export interface MemberDirectory {
  all: Member[]
  active: Member[]
  byId: Map<string, Member>
  /** By exact name and by slug: active members before former ones, older before younger. */
  byName: Map<string, Member>
  names: Record<string, string>
  /** By the lower-case hex SHA-256 of the key. */
  liveKeys: Map<string, ActiveKey>
  callers: Map<string, Caller>
  /** By member id, oldest first. */
  keys: Map<string, KeyRecord[]>
}

export function buildDirectory(members: Member[], keys: KeyRow[]): MemberDirectory {
  const active = members.filter((member) => member.status === 'active')
  const directory: MemberDirectory = {
    all: members,
    active,
    byId: new Map(members.map((member) => [member.id, member])),
    byName: new Map(),
    names: Object.fromEntries(active.map((member) => [member.id, member.name])),
    liveKeys: new Map(),
    callers: new Map(),
    keys: new Map(members.map((member) => [member.id, []])),
  }
  const former = members.filter((member) => member.status !== 'active')
  for (const group of [active, former]) {
    for (const nameOf of [exactName, slugOfName]) {
      for (const member of group) {
        const name = nameOf(member)
        if (name !== '' && !directory.byName.has(name)) directory.byName.set(name, member)
      }
    }
  }
  for (const row of keys) addKey(directory, row)
  return directory
}

const exactName = (member: Member) => member.name
const slugOfName = (member: Member) => slugOf(member.name)

function addKey(directory: MemberDirectory, row: KeyRow): void {
  const { id, label, scopes, createdMs, lastUsedMs, expiresMs } = row
  const record: KeyRecord = { id, label, scopes, createdMs, lastUsedMs, expiresMs }
  directory.keys.get(row.memberId)!.push(record)
  const member = directory.byId.get(row.memberId)!
  if (member.status !== 'active') return
  const caller: Caller = {
    member,
    keyId: id,
    scopes: new Set(scopes as (Scope | '*')[]),
    ...(expiresMs !== null && { expiresMs }),
  }
  directory.liveKeys.set(Buffer.from(row.hash).toString('hex'), { record, caller })
  directory.callers.set(id, caller)
}
