import { LRUCache } from 'lru-cache'
import { type ChangedEntity, installChangeTriggers } from '../../data/change-triggers.ts'
import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { Clock } from '../time/clock.ts'

/** What can be touched: something by its id, the workspace, or who is online. */
export type Topic = `${Exclude<ChangedEntity, 'workspace'>}:${string}` | 'workspace' | 'presence'

/**
 * What has changed of late, for those who show it: events tell of some changes alone, pages show them all. In memory;
 * which change it was is told to nobody. A sequence says how much of it somebody has seen.
 */
export class ChangeTopics {
  private readonly last: LRUCache<Topic, number>
  private current: number
  /** What is not remembered was touched here at the latest. */
  private minSequence: number
  private pending = new Set<Topic>()
  private readonly told = new Signal<ReadonlySet<Topic>>()

  /** @param maxTopics of so many topics it is remembered when they were touched last */
  constructor(clock: Clock, maxTopics = 20_000) {
    // Above all that a run before this one has given out, as long as it touched less than a thousand times in a millisecond.
    this.current = clock.now() * 1000
    this.minSequence = this.current
    this.last = new LRUCache({
      max: maxTopics,
      dispose: (sequence, _, reason) => {
        if (reason === 'evict') this.minSequence = Math.max(this.minSequence, sequence)
      },
    })
  }

  /** Whoever reads something now has seen what was touched up to here. */
  get sequence(): number {
    return this.current
  }

  /**
   * Something has changed, or does so with the transaction that is running. It is told in a turn of its own: what a writer
   * does as soon as its commit is durable has been done then.
   */
  markChanged(...topics: readonly Topic[]): void {
    if (this.pending.size === 0 && topics.length > 0) setImmediate(() => this.publish())
    for (const topic of topics) this.pending.add(topic)
  }

  /** Those of the topics that were touched behind a sequence; all of them for one that this run has not given out. */
  changedSince(sequence: number, topics: readonly Topic[]): Topic[] {
    if (sequence > this.current) return [...topics]
    return topics.filter((topic) => (this.last.peek(topic) ?? this.minSequence) > sequence)
  }

  /** Calls `listener` with what was touched, in a turn of its own, once `behind` knows of it. */
  changed(listener: (topics: ReadonlySet<Topic>) => void): void {
    this.told.listen(listener)
  }

  private publish(): void {
    const topics = this.pending
    this.pending = new Set()
    this.current += 1
    for (const topic of topics) this.last.set(topic, this.current)
    this.told.emit(topics)
  }
}

/** @param id of the workspace `''` */
const topicOf = (touched: ChangedEntity, id: string): Topic =>
  touched === 'workspace' ? touched : `${touched}:${id}`

/** Something that tells of its changes. */
interface Changing<T> {
  onChange(listener: (change: T) => void): void
}

interface TouchingDeps {
  clock: Clock
  database: Database
  rooms: Pick<RoomsTable, 'joinedBy'>
  /** Who is online, and where. */
  presence: Changing<{ memberId: string; isOnlineChanged: boolean; rooms: readonly string[] }>
  /** Who is writing, by the id of the room. */
  typing: Changing<string>
}

/** Opens the touches, and has them hear of every row that is written, of who is here and of who is writing. */
export function trackChanges({ clock, database, rooms, presence, typing }: TouchingDeps): ChangeTopics {
  const touches = new ChangeTopics(clock)
  installChangeTriggers(database.connection, (touched, id) => touches.markChanged(topicOf(touched, id)))
  typing.onChange((roomId) => touches.markChanged(`room:${roomId}`))
  presence.onChange(({ memberId, isOnlineChanged, rooms: places }) => {
    const shownIn = isOnlineChanged ? rooms.joinedBy(memberId).map(({ id }) => id) : places
    for (const roomId of shownIn) touches.markChanged(`room:${roomId}`)
    if (isOnlineChanged) touches.markChanged('presence')
  })
  return touches
}
