import type { EventRecord } from '../../data/tables/events.ts'
import type { EventSubscription } from './subscription.ts'

/** Lives for one turn, in which it reads each thing once. */
export interface EventPresenter {
  /** Readers of one variant share its text. Null if not visible, or not requested. */
  visibilityFor(row: EventRecord, subscription: EventSubscription): string | null
  json(row: EventRecord, variant: string): string
}
