import type { AnsweredRequestsTable } from '../data/tables/answered-requests.ts'
import { WorkspaceError } from './errors/workspace-error.ts'
import type { Clock } from './time/clock.ts'

/** How long a key is remembered (`docs/interface.md#rooms-and-messages`). */
const retentionMs = 24 * 60 * 60 * 1000

interface AnsweredRequestsDeps {
  answeredRequests: AnsweredRequestsTable
  clock: Clock
}

/**
 * Runs requests once although they may be sent repeatedly: a client that lost the response sends the same key
 * again.
 */
export class IdempotencyKeys {
  private readonly deps: AnsweredRequestsDeps

  constructor(deps: AnsweredRequestsDeps) {
    this.deps = deps
  }

  /**
   * Runs `work` for the first request with a key, and returns its result to later ones. Must be called inside the
   * commit of `work`, so that one of two concurrent requests runs it.
   * @param key null if the request has none
   * @param work returns JSON
   * @throws what `work` throws; nothing is stored then
   */
  once<T>(memberId: string, key: string | null, work: () => T): T {
    if (key === null) return work()
    const { answeredRequests, clock } = this.deps
    answeredRequests.trim(clock.retentionCutoff(retentionMs))
    const answer = answeredRequests.find(memberId, key)
    if (answer !== undefined) return JSON.parse(answer) as T
    const result = work()
    answeredRequests.insert(memberId, key, clock.now(), JSON.stringify(result))
    return result
  }
}

/** @throws WorkspaceError `bad_request` */
export function requireIdempotencyKey(key: string): void {
  if (/^\P{C}{1,128}$/u.test(key)) return
  throw new WorkspaceError('bad_request', 'An Idempotency-Key has 1 to 128 printable characters.')
}
