import type { EventLog, LogState } from '../../data/tables/event-log.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { ChangeTopics, Topic } from '../touches/touches.ts'
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

interface HubDeps {
  clock: Pick<Clock, 'after'>
  log: EventLog
  touches: Pick<ChangeTopics, 'changedSince'>
  newRenderer: () => EventRenderer
  refresh: () => void
  onProblem: (message: string, error: unknown) => void
}

interface Waiter extends Waiting {
  rows: EventRecord[]
  leaving: Timer | null
  settle(outcome: WaitResult): void
}

const maxPerMember = 16
/** A client evicted at once would reconnect at once, and evict another. */
const evictAfterMs = 1000
const maxEvicting = 48
const rowsInATurn = 256
/** Responses between yields to requests; fewer would wake clients in between, which delays all. */
const answersInATurn = 1024

/** Held requests. A commit wakes those who may see its events; in between they cost only memory. */
export class HeldRequests {
  private readonly deps: HubDeps
  private known: LogState
  /** In order of arrival. */
  private readonly ofMember = new Map<string, Set<Waiter>>()
  private readonly byStream = new Map<string, Set<Waiter>>()
  private readonly byTopic = new Map<string, Set<Waiter>>()
  private readonly woken = new Set<Waiter>()
  private readonly touched = new Set<Waiter>()
  private isDeliveryDue = false
  private isReleased = false

  constructor(deps: HubDeps) {
    this.deps = deps
    this.known = deps.log.state()
  }

  get state(): LogState {
    return this.known
  }

  get waiterCount(): number {
    let count = 0
    for (const waiters of this.ofMember.values()) count += waiters.size
    return count
  }

  wait(waiting: Waiting): Promise<WaitResult> {
    const { lifetime, topicSubscription } = waiting
    return new Promise((resolve) => {
      if (this.isReleased || lifetime.hasEnded) return resolve({ kind: 'ended' })
      // It would miss the events that were delivered while it read.
      if (this.known.tick > waiting.tick || this.known.change > waiting.change) {
        return resolve({ kind: 'retry' })
      }
      if (topicSubscription && hasChanges(this.deps.touches, topicSubscription))
        return resolve({ kind: 'ended' })
      if (!this.evictOldest(waiting.subscription.caller.member.id)) return resolve({ kind: 'refused' })
      const waiter: Waiter = {
        ...waiting,
        rows: [],
        leaving: null,
        settle: (outcome) => {
          removeListener()
          waiter.leaving?.cancel()
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
      this.answer()
    } catch (error) {
      this.deps.onProblem('Events could not be delivered to held requests', error)
    }
  }

  /** Delivers their events first. */
  touch(topics: Iterable<Topic>): void {
    for (const topic of topics) {
      for (const waiter of this.byTopic.get(topic) ?? []) this.touched.add(waiter)
    }
    if (this.touched.size > 0) this.deliver()
  }

  release(): void {
    this.isReleased = true
    for (const waiters of [...this.ofMember.values()]) settleAll(waiters, { kind: 'ended' })
  }

  private distribute(): void {
    const { log, newRenderer, refresh } = this.deps
    const state = log.state()
    // Refreshed after the state is read, so that members and projects in memory are no older.
    refresh()
    const { change } = this.known
    for (const memberId of state.change > change ? log.membersChangedSince(change) : []) {
      settleAll(this.ofMember.get(memberId) ?? [], { kind: 'retry' })
    }
    const rows = this.ofMember.size === 0 ? [] : log.between(this.known.tick, state.tick, rowsInATurn)
    const renderer = newRenderer()
    for (const row of rows) this.deliverTo(row, renderer)
    const isAll = rows.length < rowsInATurn
    this.known = isAll ? state : { ...state, tick: rows.at(-1)!.tick }
    if (!isAll) this.retryAll()
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

  private answer(): void {
    const renderer = this.deps.newRenderer()
    let answers = 0
    for (const waiter of this.woken) {
      if (answers === answersInATurn) {
        this.retryAll()
        return
      }
      const body = renderer.body(waiter.rows, waiter.subscription)
      waiter.rows = []
      this.woken.delete(waiter)
      if (body === null) continue
      answers += 1
      waiter.settle({ kind: 'events', body })
    }
    for (const waiter of this.touched) {
      if (answers === answersInATurn) {
        this.retryAll()
        return
      }
      answers += 1
      waiter.settle({ kind: 'ended' })
    }
  }

  private retryAll(): void {
    if (this.isDeliveryDue) return
    this.isDeliveryDue = true
    setImmediate(() => this.deliver())
  }

  private evictOldest(memberId: string): boolean {
    const staying = [...(this.ofMember.get(memberId) ?? [])].filter(({ leaving }) => leaving === null)
    const leavingCount = (this.ofMember.get(memberId)?.size ?? 0) - staying.length
    if (staying.length < maxPerMember) return true
    if (leavingCount === maxEvicting) return false
    const oldest = staying[0]!
    oldest.leaving = this.deps.clock.after(evictAfterMs, () => oldest.settle({ kind: 'ended' }))
    return true
  }

  private add(waiter: Waiter): void {
    const { caller, sources } = waiter.subscription
    const { topicSubscription } = waiter
    setIn(this.ofMember, caller.member.id).add(waiter)
    for (const { ids } of sources) for (const id of ids) setIn(this.byStream, id).add(waiter)
    for (const topic of topicSubscription?.topics ?? []) setIn(this.byTopic, topic).add(waiter)
  }

  private remove(waiter: Waiter): void {
    const { caller, sources } = waiter.subscription
    takeFrom(this.ofMember, caller.member.id, waiter)
    for (const { ids } of sources) for (const id of ids) takeFrom(this.byStream, id, waiter)
    for (const topic of waiter.topicSubscription?.topics ?? []) takeFrom(this.byTopic, topic, waiter)
    this.woken.delete(waiter)
    this.touched.delete(waiter)
  }
}

const settleAll = (waiters: Iterable<Waiter>, outcome: WaitResult): void => {
  for (const waiter of [...waiters]) waiter.settle(outcome)
}

function setIn(map: Map<string, Set<Waiter>>, key: string): Set<Waiter> {
  const known = map.get(key)
  if (known) return known
  const added = new Set<Waiter>()
  map.set(key, added)
  return added
}

function takeFrom(map: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const waiters = map.get(key)
  if (waiters?.delete(waiter) && waiters.size === 0) map.delete(key)
}
