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
