import type { EventLog, LogState } from '../../data/tables/event-log.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { ChangeTopics, Topic } from '../change-topics/change-topics.ts'
import type { Clock, Timer } from '../time/clock.ts'
import { eventsPerPage } from './event-reader.ts'
import type { EventRenderer } from './event-renderer.ts'
import type { RequestLifetime } from './request-lifetime.ts'
import type { EventSubscription } from './subscription.ts'
import { hasChanges, type TopicSubscription } from './topics.ts'

export type WaitResult =
  | { kind: 'events'; body: Uint8Array }
  /** Permissions changed, or the log advanced, so the request must read again. */
  | { kind: 'retry' }
  | { kind: 'ended' }
  | { kind: 'refused' }

interface Waiting {
  subscription: EventSubscription
  tick: number
  change: number
  lifetime: RequestLifetime
  topicSubscription: TopicSubscription | null
}

interface HeldRequestsDeps {
  clock: Pick<Clock, 'after'>
  log: EventLog
  changeTopics: Pick<ChangeTopics, 'changedSince'>
  newRenderer: () => EventRenderer
  refresh: () => void
  onProblem: (message: string, error: unknown) => void
}

interface Waiter extends Waiting {
  rows: EventRecord[]
  evictionTimer: Timer | null
  settle(outcome: WaitResult): void
}

const maxPerMember = 16
/** A client evicted at once would reconnect at once, and evict another. */
const evictAfterMs = 1000
const maxEvicting = 48
const rowsPerTurn = 256
/** Responses between yields to requests; fewer would wake clients in between, which delays all. */
const responsesPerTurn = 1024

/** Held requests. A commit wakes those who may see its events; in between they cost only memory. */
export class HeldRequests {
  private readonly deps: HeldRequestsDeps
  private deliveredState: LogState
  /** In order of arrival. */
  private readonly byMember = new Map<string, Set<Waiter>>()
  private readonly byStream = new Map<string, Set<Waiter>>()
  private readonly byTopic = new Map<string, Set<Waiter>>()
  private readonly woken = new Set<Waiter>()
  private readonly topicChanged = new Set<Waiter>()
  private isDeliveryDue = false
  private isReleased = false

  constructor(deps: HeldRequestsDeps) {
    this.deps = deps
    this.deliveredState = deps.log.state()
  }

  get state(): LogState {
    return this.deliveredState
  }

  get waiterCount(): number {
    let count = 0
    for (const waiters of this.byMember.values()) count += waiters.size
    return count
  }

  wait(waiting: Waiting): Promise<WaitResult> {
    const { lifetime, topicSubscription } = waiting
    return new Promise((resolve) => {
      if (this.isReleased || lifetime.hasEnded) return resolve({ kind: 'ended' })
      // It would miss the events that were delivered while it read.
      if (this.deliveredState.tick > waiting.tick || this.deliveredState.change > waiting.change) {
        return resolve({ kind: 'retry' })
      }
      if (topicSubscription && hasChanges(this.deps.changeTopics, topicSubscription))
        return resolve({ kind: 'ended' })
      if (!this.evictOldest(waiting.subscription.caller.member.id)) return resolve({ kind: 'refused' })
      const waiter: Waiter = {
        ...waiting,
        rows: [],
        evictionTimer: null,
        settle: (outcome) => {
          removeListener()
          waiter.evictionTimer?.cancel()
          this.remove(waiter)
          resolve(outcome)
        },
      }
      const removeListener = lifetime.onEnd(() => waiter.settle({ kind: 'ended' }))
      this.add(waiter)
    })
  }

  deliver(): void {
    this.isDeliveryDue = false
    if (this.isReleased) return
    try {
      this.distribute()
      this.respond()
    } catch (error) {
      // No event is lost: the next commit delivers them, or the next request reads them.
      this.deps.onProblem('Events could not be delivered to held requests', error)
    }
  }

  /** Delivers their events first. */
  wakeForTopics(topics: Iterable<Topic>): void {
    for (const topic of topics) {
      for (const waiter of this.byTopic.get(topic) ?? []) this.topicChanged.add(waiter)
    }
    if (this.topicChanged.size > 0) this.deliver()
  }

  release(): void {
    this.isReleased = true
    for (const waiters of [...this.byMember.values()]) settleAll(waiters, { kind: 'ended' })
  }

  private distribute(): void {
    const { log, newRenderer, refresh } = this.deps
    const state = log.state()
    // Refreshed after the state is read, so that members and projects in memory are no older.
    refresh()
    const { change } = this.deliveredState
    for (const memberId of state.change > change ? log.membersChangedSince(change) : []) {
      settleAll(this.byMember.get(memberId) ?? [], { kind: 'retry' })
    }
    const rows =
      this.byMember.size === 0 ? [] : log.between(this.deliveredState.tick, state.tick, rowsPerTurn)
    const renderer = newRenderer()
    for (const row of rows) this.deliverTo(row, renderer)
    const isComplete = rows.length < rowsPerTurn
    this.deliveredState = isComplete ? state : { ...state, tick: rows.at(-1)!.tick }
    if (!isComplete) this.retryAll()
  }

  private deliverTo(row: EventRecord, renderer: EventRenderer): void {
    for (const id of [row.roomId, row.projectId, row.documentId, row.askerId]) {
      if (id === null) continue
      for (const waiter of this.byStream.get(id) ?? []) {
        if (row.tick <= waiter.tick || waiter.rows.length === eventsPerPage) continue
        if (!renderer.isVisible(row, waiter.subscription)) continue
        waiter.tick = row.tick
        waiter.rows.push(row)
        this.woken.add(waiter)
      }
    }
  }

  private respond(): void {
    const renderer = this.deps.newRenderer()
    let responses = 0
    for (const waiter of this.woken) {
      if (responses === responsesPerTurn) {
        this.retryAll()
        return
      }
      const body = renderer.body(waiter.rows, waiter.subscription)
      waiter.rows = []
      this.woken.delete(waiter)
      if (body === null) continue
      responses += 1
      waiter.settle({ kind: 'events', body })
    }
    for (const waiter of this.topicChanged) {
      if (responses === responsesPerTurn) {
        this.retryAll()
        return
      }
      responses += 1
      waiter.settle({ kind: 'ended' })
    }
  }

  private retryAll(): void {
    if (this.isDeliveryDue) return
    this.isDeliveryDue = true
    setImmediate(() => this.deliver())
  }

  private evictOldest(memberId: string): boolean {
    const active = [...(this.byMember.get(memberId) ?? [])].filter(
      ({ evictionTimer }) => evictionTimer === null,
    )
    const evictingCount = (this.byMember.get(memberId)?.size ?? 0) - active.length
    if (active.length < maxPerMember) return true
    if (evictingCount === maxEvicting) return false
    const oldest = active[0]!
    oldest.evictionTimer = this.deps.clock.after(evictAfterMs, () => oldest.settle({ kind: 'ended' }))
    return true
  }

  private add(waiter: Waiter): void {
    const { caller, streams } = waiter.subscription
    const { topicSubscription } = waiter
    getOrAddSet(this.byMember, caller.member.id).add(waiter)
    for (const { ids } of streams) for (const id of ids) getOrAddSet(this.byStream, id).add(waiter)
    for (const topic of topicSubscription?.topics ?? []) getOrAddSet(this.byTopic, topic).add(waiter)
  }

  private remove(waiter: Waiter): void {
    const { caller, streams } = waiter.subscription
    removeFrom(this.byMember, caller.member.id, waiter)
    for (const { ids } of streams) for (const id of ids) removeFrom(this.byStream, id, waiter)
    for (const topic of waiter.topicSubscription?.topics ?? []) removeFrom(this.byTopic, topic, waiter)
    this.woken.delete(waiter)
    this.topicChanged.delete(waiter)
  }
}

const settleAll = (waiters: Iterable<Waiter>, outcome: WaitResult): void => {
  for (const waiter of [...waiters]) waiter.settle(outcome)
}

function getOrAddSet(map: Map<string, Set<Waiter>>, key: string): Set<Waiter> {
  const existing = map.get(key)
  if (existing) return existing
  const added = new Set<Waiter>()
  map.set(key, added)
  return added
}

function removeFrom(map: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const waiters = map.get(key)
  if (waiters?.delete(waiter) && waiters.size === 0) map.delete(key)
}
