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
  /** Default: all that the member's type can have. */
  scopes?: readonly string[]
}

export interface IssuedKey {
  id: string
  key: string
  label: string
  scopes: string[]
}

/** Issues and revokes keys, each within a commit of the caller. The directory tells whom they authenticate. */
export class Keys {
  private readonly deps: KeysDeps

  constructor(deps: KeysDeps) {
    this.deps = deps
  }

  /** Within a commit. @throws WorkspaceError `bad_request` for an invalid label or scope */
  issue(member: Pick<Member, 'id' | 'type'>, { label = '', scopes }: NewKey): IssuedKey {
    requireLabel(label)
    return this.insert(
      member.id,
      label,
      scopes ? requireScopes(scopes, member.type) : defaultScopes(member.type),
    )
  }

  /**
   * Within a commit: replaces a key by one with the same scopes.
   * @throws WorkspaceError `not_found`, also for another member's key
   */
  rotate(memberId: string, id: string): IssuedKey {
    const old = this.deps.keys.find(id)
    if (old?.memberId !== memberId) throw noSuchKeyError(id)
    this.revoke(id)
    return this.insert(memberId, old.label, old.scopes)
  }

  revoke(id: string): void {
    if (!this.deps.keys.remove(id)) throw noSuchKeyError(id)
  }

  /** Only the hash of the key is stored. */
  private insert(memberId: string, label: string, scopes: readonly string[]): IssuedKey {
    const { clock, keys, newId, random } = this.deps
    const key = newSecret('wr_', random)
    const row = { id: newId('key'), label, scopes: [...scopes] }
    keys.insert({
      ...row,
      memberId,
      hash: hash('sha256', key, 'buffer'),
      createdMs: clock.now(),
      lastUsedMs: null,
    })
    return { ...row, key }
  }
}

export const noSuchKeyError = (id: string) => new WorkspaceError('not_found', `There is no key ${id}.`)

function requireLabel(label: string): void {
  if ([...label].length <= 80 && !/[\p{Cc}\p{Cs}]/u.test(label)) return
  throw new WorkspaceError('bad_request', 'The label of a key is one line of at most 80 characters.')
}
