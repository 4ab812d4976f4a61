import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'
import type { EventSubscription } from './subscription.ts'

interface Checkpoint {
  tick: number
  fingerprint: string
  atMs: number
}

const maxEntries = 10_000
/** Fewer hidden events are cheaper to read again. */
const minHiddenEvents = 16

/**
 * How far readers have read without finding a visible event, so that hidden events are not read again: a response
 * without events leaves the cursor unchanged. Valid while permissions stay the same.
 */
export class ScanCheckpoints {
  private readonly kept = new LRUCache<string, Checkpoint>({ max: maxEntries })
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** @returns the tick from which to read for a cursor at `after` */
  resumeAfter(reach: EventSubscription, after: number): number {
    const passed = this.kept.get(keyOf(reach, after))
    if (!passed || passed.fingerprint !== reach.fingerprint) return after
    // After the clock was set back, expired events may be visible again.
    return passed.atMs > this.clock.now() ? after : passed.tick
  }

  /** No event between `after` and `tick` is visible, among `looked` events. */
  record(reach: EventSubscription, after: number, { tick, looked }: { tick: number; looked: number }): void {
    if (looked < minHiddenEvents) return
    const { fingerprint } = reach
    this.kept.set(keyOf(reach, after), { tick, fingerprint, atMs: this.clock.now() })
  }
}

const keyOf = ({ caller, filter }: EventSubscription, after: number) =>
  hash('sha1', JSON.stringify([caller.keyId, filter, after]), 'base64')
