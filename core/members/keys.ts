import { hash } from 'node:crypto'
import type { KeysTable } from '../../data/tables/keys.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { type NewId, newSecret, type RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { defaultScopes, requireScopes } from './scopes.ts'

interface KeysDeps {
  keys: KeysTable
  clock: Clock
  random: RandomBytes
  newId: NewId
}

export interface NewKey {
  label?: string
  /** Defaults to all that the member's type can have. */
  scopes?: readonly string[]
  /** Unix milliseconds. Absent or null: never. */
  expiresAt?: number | null
}

export interface IssuedKey {
  id: string
  key: string
  label: string
  scopes: string[]
  expiresAt?: number
}

const maxPerMember = 100
/** How long expired keys are listed. */
const listedAfterExpiryMs = 30 * 24 * 60 * 60 * 1000

/** Issues and revokes keys, inside a commit of the caller. */
export class Keys {
  constructor(private readonly deps: KeysDeps) {}

  /** @throws WorkspaceError `bad_request` for the label, scopes or time; `conflict` for one key too many */
  issue(member: Pick<Member, 'id' | 'type'>, { label = '', scopes, expiresAt = null }: NewKey): IssuedKey {
    const { clock, keys } = this.deps
    requireLabel(label)
    if (expiresAt !== null) requireFuture(expiresAt, clock.now())
    const granted = scopes ? requireScopes(scopes, member.type) : defaultScopes(member.type)
    keys.trim(clock.now() - listedAfterExpiryMs)
    if (keys.count(member.id) >= maxPerMember) throw tooManyKeysError()
    return this.insert(member.id, { label, scopes: granted, expiresMs: expiresAt })
  }

  /** The new key lasts as long as the old one did. @throws WorkspaceError `not_found` */
  rotate(memberId: string, id: string): IssuedKey {
    const { clock, keys } = this.deps
    const old = keys.find(id)
    if (old?.memberId !== memberId) throw noSuchKeyError(id)
    this.revoke(id)
    const { label, scopes, createdMs, expiresMs } = old
    const lifetimeMs = expiresMs === null ? null : Math.max(expiresMs - createdMs, 1)
    return this.insert(memberId, {
      label,
      scopes,
      expiresMs: lifetimeMs === null ? null : clock.now() + lifetimeMs,
    })
  }

  revoke(id: string): void {
    if (!this.deps.keys.remove(id)) throw noSuchKeyError(id)
  }

  private insert(
    memberId: string,
    { label, scopes, expiresMs }: { label: string; scopes: readonly string[]; expiresMs: number | null },
  ): IssuedKey {
    const { clock, keys, newId, random } = this.deps
    const key = newSecret('wr_', random)
    const row = { id: newId('key'), label, scopes: [...scopes] }
    keys.insert({
      ...row,
      memberId,
      hash: hash('sha256', key, 'buffer'),
      createdMs: clock.now(),
      lastUsedMs: null,
      expiresMs,
    })
    return { ...row, key, ...(expiresMs !== null && { expiresAt: expiresMs }) }
  }
}

export const noSuchKeyError = (id: string) => new WorkspaceError('not_found', `There is no key ${id}.`)

const tooManyKeysError = () =>
  new WorkspaceError('conflict', `A member has at most ${maxPerMember} keys. Revoke one first.`)

function requireFuture(expiresAt: number, nowMs: number): void {
  if (Number.isSafeInteger(expiresAt) && expiresAt > nowMs) return
  throw new WorkspaceError('bad_request', 'expiresAt must be a future time, in Unix milliseconds.')
}

function requireLabel(label: string): void {
  if ([...label].length <= 80 && !/[\p{Cc}\p{Cs}]/u.test(label)) return
  throw new WorkspaceError('bad_request', 'The label of a key is one line of at most 80 characters.')
}
