import type { AnsweredRequestsTable } from '../../data/tables/answered-requests.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Clock } from '../time/clock.ts'

/** `docs/interface.md#rooms-and-messages` */
const retentionMs = 24 * 60 * 60 * 1000

interface IdempotencyKeysDeps {
  answeredRequests: AnsweredRequestsTable
  clock: Clock
}

export class IdempotencyKeys {
  constructor(private readonly deps: IdempotencyKeysDeps) {}

  /**
   * Does the work once for each key, so that a client that lost the response can repeat its request. Must be
   * called inside the commit that does the work, so that only one of two concurrent requests does it. Results
   * are stored as JSON; an error is not stored.
   */
  once<T>(memberId: string, key: string | null, work: () => T): T {
    if (key === null) return work()
    const { answeredRequests, clock } = this.deps
    answeredRequests.trim(clock.retentionCutoff(retentionMs))
    const stored = answeredRequests.find(memberId, key)
    if (stored !== undefined) return JSON.parse(stored) as T
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
