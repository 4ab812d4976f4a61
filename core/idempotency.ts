import type { AnsweredRequestsTable } from '../data/tables/answered-requests.ts'
import { WorkspaceError } from './errors/workspace-error.ts'
import type { Clock } from './time/clock.ts'

/** For how long a key means the same request, in milliseconds (`docs/interface.md#rooms-and-messages`). */
const retentionMs = 24 * 60 * 60 * 1000

interface AnsweredRequestsDeps {
  answeredRequests: AnsweredRequestsTable
  clock: Clock
}

/** Requests that are done once however often they are sent: whoever lost the answer sends the same key again. */
export class IdempotencyKeys {
  private readonly deps: AnsweredRequestsDeps

  constructor(deps: AnsweredRequestsDeps) {
    this.deps = deps
  }

  /**
   * Does the work of the first request with a key, and answers each later one as the first was; to be called inside
   * the commit that does the work, so that of two at once one does it.
   * @param key null: the request named none
   * @param work what it returns can be written as JSON
   * @throws what `work` throws; nothing is remembered then
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

/** @throws WorkspaceError `bad_request` for what is no `Idempotency-Key` */
export function requireIdempotencyKey(key: string): void {
  if (/^\P{C}{1,128}$/u.test(key)) return
  throw new WorkspaceError('bad_request', 'An Idempotency-Key has 1 to 128 printable characters.')
}
