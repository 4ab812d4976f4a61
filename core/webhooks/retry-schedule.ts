import type { DeliveryOutcome, DeliveryRow } from '../../data/tables/deliveries.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** Delays after failed attempts (`docs/webhooks.md#retries`). */
const backoffMs = [30 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs]

/** A later attempt was postponed by a wrong clock. */
export const maxBackoffMs = Math.max(...backoffMs)

export const maxAttempts = backoffMs.length + 1

/** An interrupted last attempt is given up after the first delay. */
const delayAfter = (attempts: number): number => backoffMs[attempts - 1] ?? backoffMs[0]!

/** An interrupted attempt counts as made. */
export const dueIfInterrupted = (attempts: number, startedMs: number): number =>
  startedMs + delayAfter(attempts)

type Attempted = Pick<DeliveryRow, 'id' | 'attempts' | 'replyId'>

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
    nextAttemptMs: isLast ? null : failedMs + delayAfter(attempts),
    endedMs: isLast ? failedMs : null,
    lastStatus: status,
    lastError: error,
  }
}

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

export const afterCancellation = (
  { id, replyId, lastStatus, lastError }: DeliveryRow,
  cancelledMs: number,
): DeliveryOutcome => ({
  id,
  replyId,
  lastStatus,
  lastError,
  state: 'cancelled',
  nextAttemptMs: null,
  endedMs: cancelledMs,
})
