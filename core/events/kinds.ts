import type { EventRecord } from '../../data/tables/events.ts'
import type { EventSubscription } from './subscription.ts'

/** Presents events of one kind. Lives for one turn, in which it reads each thing once. */
export interface EventPresenter {
  /**
   * Returns the variant that a reader sees, whose readers share one text, or null if none is visible or
   * requested.
   */
  visibilityFor(row: EventRecord, subscription: EventSubscription): string | null
  json(row: EventRecord, side: string): string
}
