import type { EventRecord } from '../../data/tables/events.ts'
import type { EventSubscription } from './subscription.ts'

/** Presents events of one kind. It lives for one turn, in which it reads each thing once. */
export interface EventPresenter {
  /**
   * The variant of an event that a reader sees: readers of one variant share its text.
   * @returns null if the event is not visible or not requested
   */
  visibilityFor(row: EventRecord, subscription: EventSubscription): string | null
  /** The event's fields as JSON, for a variant. */
  json(row: EventRecord, side: string): string
}
