import { WorkspaceError } from '../errors/workspace-error.ts'

/**
 * The order of events: a tick is `logical millisecond × 1000 + slot`, and a slot has three digits, each 0 to 4,
 * never 000, so that rounding the cursor (tick / 1000) at any decimal place goes down: it replays, never skips.
 */

const slotsPerMs = 124

/** The n-th slot of a millisecond, n from 1 to 124, written in base 5 and read in base 10. */
const slotNumber = (n: number): number => Number(n.toString(5))

/** The place of a slot within its millisecond, 1 to 124. */
const slotIndex = (slot: number): number => Number.parseInt(String(slot), 5)

/**
 * The tick behind `lastTick`, never before the clock.
 * A clock that stepped back only fills the slots of the last millisecond and of those that follow it.
 */
export function nextTick(lastTick: number, nowMs: number): number {
  const first = nowMs * 1000 + 1
  if (first > lastTick) return first
  const slot = lastTick % 1000
  const index = slotIndex(slot) + 1
  const millisecond = lastTick - slot
  return index <= slotsPerMs ? millisecond + slotNumber(index) : millisecond + 1001
}

/** What a reader is given to come back with: milliseconds with three decimals, exact in a double until 2109. */
export const cursorOf = (tick: number): number => tick / 1000

/** From where a reader wants to go on. */
export interface Since {
  /** Events behind this tick are asked for. */
  tick: number
  /** What an answer without events says: the number that was sent, or our clock's to one who is ahead of it. */
  cursor: number
  /** The reader's clock goes before ours: they are told so at once, and wait for nothing. */
  isAhead: boolean
}

/** In 2109; cursors beyond it would not be exact any more. */
const maxCursor = 2 ** 42
/** A whole number is a reader's clock, which may go before ours by this much, in milliseconds. */
const maxClockSkewMs = 60_000
/** How far a rounded number is stepped back at the most, in milliseconds. */
const maxStepBackMs = 10_000_000

/** Decimal, also as awk or a float's printer write it. */
const decimal = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i

/**
 * Reads a `since` that a client has sent, which may have been rounded on the way (`docs/interface.md#the-cursor`): the events
 * behind what is answered are all that the true cursor would give, perhaps with some that came before it.
 * @param text undefined where none was sent
 * @throws WorkspaceError `bad_request` for what is no number, and for what this workspace cannot have issued yet
 */
export function parseSince(
  text: string | undefined,
  { lastTick, nowMs }: { lastTick: number; nowMs: number },
): Since {
  const cursor = numberIn(text)
  const tick = tickBefore(cursor)
  const isAhead = tick > lastTick && tick > nowMs * 1000
  if (!isAhead) {
    // Should the clock step back, what happens next gets a place before a cursor that was never issued.
    return { tick: Math.min(tick, lastTick), cursor, isAhead }
  }
  if (!Number.isInteger(cursor) || cursor > nowMs + maxClockSkewMs) {
    throw new WorkspaceError(
      'bad_request',
      `?since=${text} lies ahead of this server's clock, so that it was not issued here. Ask with since=0, or with the time of now.`,
    )
  }
  return { tick: lastTick, cursor: Math.max(nowMs, cursorOf(lastTick)), isAhead }
}

function numberIn(text = ''): number {
  // A + that stood in the address unencoded arrives as a space.
  const written = text.trim().replace(' ', '+')
  if (written === '') return 0
  const number = decimal.test(written) ? Number(written) : Number.NaN
  if (number <= maxCursor) return number
  throw new WorkspaceError(
    'bad_request',
    '?since= must be the cursor of the last answer, exactly as it was received, or 0 for what is there already.',
  )
}

/** The tick behind which everything comes that a cursor's holder can have missed. */
function tickBefore(cursor: number): number {
  if (Number.isInteger(cursor)) return Math.max(0, cursor - stepBackMs(cursor)) * 1000
  const tick = Math.round(cursor * 1000)
  return isSlot(tick % 1000) ? tick : Math.max(0, Math.floor(cursor) - 1) * 1000
}

const isSlot = (slot: number): boolean => slot > 0 && /^[0-4]+$/.test(String(slot))

/** Nobody was given a whole number: digits were cut off, up to as many as it ends in zeros, or it is a clock's. */
function stepBackMs(cursor: number): number {
  let stepMs = 1
  while (stepMs < maxStepBackMs && cursor % (stepMs * 10) === 0) stepMs *= 10
  return stepMs
}
