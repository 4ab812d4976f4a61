import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'
import type { EventSubscription } from './subscription.ts'

interface Checkpoint {
  tick: number
  fingerprint: string
  atMs: number
}

/** How many are remembered: a few megabytes. */
const maxEntries = 10_000
/** Fewer hidden events are looked at again sooner than they are remembered. */
const minHiddenEvents = 16

/**
 * How far readers have looked behind a cursor without finding anything, so that they do not look at hidden events again
 * and again: an answer without events leaves the cursor as it was. It counts for as long as they may see the same.
 */
export class ScanCheckpoints {
  private readonly kept = new LRUCache<string, Checkpoint>({ max: maxEntries })
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** @returns the tick from which to look on for one whose cursor stands at `after` */
  resumeAfter(reach: EventSubscription, after: number): number {
    const passed = this.kept.get(keyOf(reach, after))
    if (!passed || passed.fingerprint !== reach.fingerprint) return after
    // With a clock that was set back, what was too old then may not be.
    return passed.atMs > this.clock.now() ? after : passed.tick
  }

  /** Nothing is to be seen from `after` up to `tick`, among so many events as were looked at. */
  record(reach: EventSubscription, after: number, { tick, looked }: { tick: number; looked: number }): void {
    if (looked < minHiddenEvents) return
    const { fingerprint } = reach
    this.kept.set(keyOf(reach, after), { tick, fingerprint, atMs: this.clock.now() })
  }
}

/** What a client sends may be long. */
const keyOf = ({ caller, filter }: EventSubscription, after: number) =>
  hash('sha1', JSON.stringify([caller.keyId, filter, after]), 'base64')
