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
 * Spares readers without visible events, whose cursor stays, from reading the same hidden ones again. Valid
 * while permissions stay the same.
 */
export class ScanCheckpoints {
  private readonly checkpoints = new LRUCache<string, Checkpoint>({ max: maxEntries })

  constructor(private readonly clock: Clock) {}

  resumeAfter(subscription: EventSubscription, after: number): number {
    const checkpoint = this.checkpoints.get(keyOf(subscription, after))
    if (!checkpoint || checkpoint.fingerprint !== subscription.fingerprint) return after
    // After the clock was set back, expired events may be visible again.
    return checkpoint.atMs > this.clock.now() ? after : checkpoint.tick
  }

  record(
    subscription: EventSubscription,
    after: number,
    { tick, rowsChecked }: { tick: number; rowsChecked: number },
  ): void {
    if (rowsChecked < minHiddenEvents) return
    const { fingerprint } = subscription
    this.checkpoints.set(keyOf(subscription, after), { tick, fingerprint, atMs: this.clock.now() })
  }
}

const keyOf = ({ caller, filter }: EventSubscription, after: number) =>
  hash('sha1', JSON.stringify([caller.keyId, filter, after]), 'base64')
