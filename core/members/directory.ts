import type { KeyRow } from '../../data/tables/keys.ts'
import type { Caller, Member, Scope } from '../access/member.ts'
import { slugOf } from '../text/slug.ts'

/** A key as it is listed: never the key itself. Times are Unix milliseconds. */
export interface KeyRecord {
  id: string
  label: string
  scopes: string[]
  createdMs: number
  lastUsedMs: number | null
}

/** A key that opens: its record, and whom a request with it acts as. */
export interface ActiveKey {
  record: KeyRecord
  caller: Caller
}

/** All members and keys in memory, arranged for the questions that every request asks. */
export interface MemberDirectory {
  /** Oldest first. */
  all: Member[]
  /** Oldest first. */
  active: Member[]
  byId: Map<string, Member>
  /** By exact name and by slug of the name: an active member before one who left, the older before the younger. */
  byName: Map<string, Member>
  /** Present names of the active members by id. */
  names: Record<string, string>
  /** Keys of active members by the lower-case hex SHA-256 of the key. */
  liveKeys: Map<string, ActiveKey>
  /** Whom requests act as, by the id of their key. */
  callers: Map<string, Caller>
  /** Every member's keys by member id, oldest first. */
  keys: Map<string, KeyRecord[]>
}

/** @param members and `keys` oldest first */
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
  const left = members.filter((member) => member.status !== 'active')
  for (const group of [active, left]) {
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
  const { id, label, scopes, createdMs, lastUsedMs } = row
  const record: KeyRecord = { id, label, scopes, createdMs, lastUsedMs }
  directory.keys.get(row.memberId)!.push(record)
  const member = directory.byId.get(row.memberId)!
  if (member.status !== 'active') return
  const caller: Caller = { member, keyId: id, scopes: new Set(scopes as (Scope | '*')[]) }
  directory.liveKeys.set(Buffer.from(row.hash).toString('hex'), { record, caller })
  directory.callers.set(id, caller)
}
