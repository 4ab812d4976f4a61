import { WorkspaceError } from '../errors/workspace-error.ts'

// A tick is `logical millisecond × 1000 + slot`. A slot has three digits, each 0 to 4, never 000, so that
// rounding the cursor (tick / 1000) at any decimal place rounds down: a reader repeats events, and never
// skips any.

const slotsPerMs = 124

/** The n-th slot of a millisecond (1 to 124): n in base 5, read as decimal. */
const slotNumber = (n: number): number => Number(n.toString(5))

const slotIndex = (slot: number): number => Number.parseInt(String(slot), 5)

/** Not before the clock. If the clock was set back, ticks continue from the last one. */
export function nextTick(lastTick: number, nowMs: number): number {
  const first = nowMs * 1000 + 1
  if (first > lastTick) return first
  const slot = lastTick % 1000
  const index = slotIndex(slot) + 1
  const millisecond = lastTick - slot
  return index <= slotsPerMs ? millisecond + slotNumber(index) : millisecond + 1001
}

/** Milliseconds with three decimals, exact in a double until 2109. */
export const cursorOf = (tick: number): number => tick / 1000

export interface Since {
  tick: number
  cursor: number
  isAhead: boolean
}

const maxCursor = 2 ** 42
const maxClockSkewMs = 60_000
const maxStepBackMs = 10_000_000

/** Includes the forms that awk and float formatters write. */
const decimal = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i

/**
 * `since` may have been rounded (`docs/interface.md#the-cursor`): the result covers all events after the true
 * cursor, and possibly some before. @throws WorkspaceError `bad_request` if it cannot have been issued
 */
export function parseSince(
  text: string | undefined,
  { lastTick, nowMs }: { lastTick: number; nowMs: number },
): Since {
  const cursor = parseCursor(text)
  const tick = tickBefore(cursor)
  const isAhead = tick > lastTick && tick > nowMs * 1000
  if (!isAhead) {
    // After the clock was set back, a cursor that was never issued may be later than the next event.
    return { tick: Math.min(tick, lastTick), cursor, isAhead }
  }
  if (!Number.isInteger(cursor) || cursor > nowMs + maxClockSkewMs) {
    throw new WorkspaceError(
      'bad_request',
      `?since=${text} is ahead of this server's clock, so it was not issued here. Send since=0, or the current time.`,
    )
  }
  return { tick: lastTick, cursor: Math.max(nowMs, cursorOf(lastTick)), isAhead }
}

function parseCursor(text = ''): number {
  // An unencoded + in a URL is decoded as a space.
  const normalized = text.trim().replace(' ', '+')
  if (normalized === '') return 0
  const number = decimal.test(normalized) ? Number(normalized) : Number.NaN
  if (number <= maxCursor) return number
  throw new WorkspaceError(
    'bad_request',
    '?since= must be the cursor of the last response, exactly as received, or 0 to start with what is there.',
  )
}

function tickBefore(cursor: number): number {
  if (Number.isInteger(cursor)) return Math.max(0, cursor - stepBackMs(cursor)) * 1000
  const tick = Math.round(cursor * 1000)
  return isSlot(tick % 1000) ? tick : Math.max(0, Math.floor(cursor) - 1) * 1000
}

const isSlot = (slot: number): boolean => slot > 0 && /^[0-4]+$/.test(String(slot))

/** A whole number was never issued: it is a clock's time, or its trailing zeros replaced other digits. */
function stepBackMs(cursor: number): number {
  let stepMs = 1
  while (stepMs < maxStepBackMs && cursor % (stepMs * 10) === 0) stepMs *= 10
  return stepMs
}
