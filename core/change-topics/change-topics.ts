import { LRUCache } from 'lru-cache'
import { type ChangedEntity, installChangeTriggers } from '../../data/change-triggers.ts'
import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { Clock } from '../time/clock.ts'
import { RecentChanges } from './recent-changes.ts'

/** An entity by id (`here` is the presence in a document), the workspace, or who is online. */
export type Topic =
  | `${Exclude<ChangedEntity, 'workspace' | 'message'> | 'here'}:${string}`
  | 'workspace'
  | 'presence'

interface ChangedCard {
  id: string
  number: number
}

/** Recently changed topics, since some changes have no event. A sequence says how much a reader has seen. */
export class ChangeTopics {
  private readonly last: LRUCache<Topic, number>
  private current: number
  /** Topics that are not remembered changed here at the latest. */
  private minSequence: number
  private pending = new Set<Topic>()
  private readonly changedMessages: RecentChanges
  private readonly changedCards: RecentChanges
  private readonly changedDocuments: RecentChanges
  private readonly topicsChanged = new Signal<ReadonlySet<Topic>>()

  constructor(clock: Clock, maxTopics = 20_000) {
    // Above all sequences of earlier runs, unless they had more than a thousand changes in a millisecond.
    this.current = clock.now() * 1000
    this.minSequence = this.current
    this.changedMessages = new RecentChanges(this.current)
    this.changedCards = new RecentChanges(this.current)
    this.changedDocuments = new RecentChanges(this.current)
    this.last = new LRUCache({
      max: maxTopics,
      dispose: (sequence, _, reason) => {
        if (reason === 'evict') this.minSequence = Math.max(this.minSequence, sequence)
      },
    })
  }

  get sequence(): number {
    return this.current
  }

  /** Publishes in a later turn, after what the writer does when its commit is durable. */
  markChanged(...topics: readonly Topic[]): void {
    if (this.pending.size === 0 && topics.length > 0) setImmediate(() => this.publish())
    for (const topic of topics) this.pending.add(topic)
  }

  /** Marks a message beside its room, so that a page can fetch it alone. */
  markMessageChanged(id: string): void {
    this.changedMessages.mark(id)
  }

  /** Null if not all are remembered. */
  messagesChangedSince(sequence: number): string[] | null {
    return sequence > this.current ? null : this.changedMessages.since(sequence)
  }

  markCardChanged(projectId: string, { id, number }: ChangedCard): void {
    this.changedCards.mark(`${projectId} ${id} ${number}`)
    this.markChanged(`board:${projectId}`)
  }

  markListedChanged(projectId: string, id: string): void {
    this.changedDocuments.mark(`${projectId} ${id}`)
    this.markChanged(`docs:${projectId}`)
  }

  /** Includes cards that are gone. Null if not all are remembered. */
  cardsChangedSince(sequence: number, projectId: string): ChangedCard[] | null {
    const changed = this.changedIn(projectId, this.changedCards, sequence)
    return changed?.map(([id, number]) => ({ id: id!, number: Number(number) })) ?? null
  }

  listedChangedSince(sequence: number, projectId: string): string[] | null {
    const changed = this.changedIn(projectId, this.changedDocuments, sequence)
    return changed?.map(([id]) => id!) ?? null
  }

  private changedIn(projectId: string, recent: RecentChanges, sequence: number): string[][] | null {
    const changed = sequence > this.current ? null : recent.since(sequence)
    if (changed === null) return null
    return changed
      .map((key) => key.split(' '))
      .filter(([project]) => project === projectId)
      .map(([_, ...key]) => key)
  }

  /** All topics for a sequence of another run. */
  changedSince(sequence: number, topics: readonly Topic[]): Topic[] {
    if (sequence > this.current) return [...topics]
    return topics.filter((topic) => (this.last.peek(topic) ?? this.minSequence) > sequence)
  }

  /** Calls `listener` in a separate turn, once `changedSince` includes the topics. */
  onChange(listener: (topics: ReadonlySet<Topic>) => void): void {
    this.topicsChanged.listen(listener)
  }

  private publish(): void {
    const topics = this.pending
    this.pending = new Set()
    this.current += 1
    this.changedMessages.publish(this.current)
    this.changedCards.publish(this.current)
    this.changedDocuments.publish(this.current)
    for (const topic of topics) this.last.set(topic, this.current)
    this.topicsChanged.emit(topics)
  }
}

const topicOf = (entity: Exclude<ChangedEntity, 'message'>, id: string): Topic =>
  entity === 'workspace' ? entity : `${entity}:${id}`

interface Changing<T> {
  onChange(listener: (change: T) => void): void
}

interface ChangeTopicsDeps {
  clock: Clock
  database: Database
  rooms: Pick<RoomsTable, 'joinedBy'>
  presence: Changing<{ memberId: string; isOnlineChanged: boolean; rooms: readonly string[] }>
  typing: Changing<string>
}

/** Follows every written row, presence and typing signals. */
export function trackChanges({ clock, database, rooms, presence, typing }: ChangeTopicsDeps): ChangeTopics {
  const changeTopics = new ChangeTopics(clock)
  installChangeTriggers(database.connection, (entity, id) => {
    if (entity === 'message') changeTopics.markMessageChanged(id)
    else changeTopics.markChanged(topicOf(entity, id))
  })
  typing.onChange((roomId) => changeTopics.markChanged(`room:${roomId}`))
  presence.onChange(({ memberId, isOnlineChanged, rooms: changedRooms }) => {
    const affectedRooms = isOnlineChanged ? rooms.joinedBy(memberId).map(({ id }) => id) : changedRooms
    for (const roomId of affectedRooms) changeTopics.markChanged(`room:${roomId}`)
    if (isOnlineChanged) changeTopics.markChanged('presence')
  })
  return changeTopics
}
