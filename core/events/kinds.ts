import type { EventRecord } from '../../data/tables/events.ts'
import type { EventSubscription } from './subscription.ts'

/** What one kind of event shows to whom. It lives for one turn, within which it looks at nothing twice. */
export interface EventPresenter {
  /**
   * Which side of an event a reader is shown: all who are shown the same side are shown the same text.
   * @returns null for an event that is not theirs to see, or that they did not ask for
   */
  visibilityFor(row: EventRecord, reach: EventSubscription): string | null
  /** The fields of the event as JSON, as that side shows them. */
  json(row: EventRecord, side: string): string
}
