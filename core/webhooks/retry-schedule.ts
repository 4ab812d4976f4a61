import type { DeliveryOutcome, DeliveryRow } from '../../data/tables/deliveries.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** How long after each failure but the last the next attempt is made (`docs/webhooks.md#retries`). */
const backoffMs = [30 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs]

/** No attempt is due later than this: one that is was put off by a clock that has been wrong. */
export const maxBackoffMs = Math.max(...backoffMs)

export const maxAttempts = backoffMs.length + 1

/** After the last attempt nothing follows, and one whose outcome was never learnt is given up after the first pause. */
const pauseAfter = (attempts: number): number => backoffMs[attempts - 1] ?? backoffMs[0]!

/**
 * When the next attempt is due if nothing more is heard of the one that begins: what cut it off also cut off its
 * outcome, and it counts as made.
 */
export const dueIfInterrupted = (attempts: number, begunMs: number): number => begunMs + pauseAfter(attempts)

type Attempted = Pick<DeliveryRow, 'id' | 'attempts' | 'replyId'>

/** What becomes of a delivery when an attempt has failed. */
export function afterFailure(
  { id, attempts, replyId }: Attempted,
  { status, error }: { status: number | null; error: string },
  failedMs: number,
): DeliveryOutcome {
  const isLast = attempts >= maxAttempts
  return {
    id,
    replyId,
    state: isLast ? 'failed' : 'pending',
    nextAttemptMs: isLast ? null : failedMs + pauseAfter(attempts),
    endedMs: isLast ? failedMs : null,
    lastStatus: status,
    lastError: error,
  }
}

/** What becomes of a delivery when an attempt was answered with 2xx. */
export const afterSuccess = (
  { id, replyId }: Attempted,
  status: number,
  deliveredMs: number,
): DeliveryOutcome => ({
  id,
  replyId,
  state: 'delivered',
  nextAttemptMs: null,
  endedMs: deliveredMs,
  lastStatus: status,
  lastError: null,
})

/** What becomes of a delivery that may not be sent any more. */
export const afterCancellation = (
  { id, replyId, lastStatus, lastError }: DeliveryRow,
  lostMs: number,
): DeliveryOutcome => ({
  id,
  replyId,
  lastStatus,
  lastError,
  state: 'cancelled',
  nextAttemptMs: null,
  endedMs: lostMs,
})
