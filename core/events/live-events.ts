import type { EventLog, LogState } from '../../data/tables/event-log.ts'
import type { Caller } from '../access/member.ts'
import type { ChangeTopics, Topic } from '../change-topics/change-topics.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { RandomBytes } from '../ids.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import { cursorOf, parseSince, type Since } from './cursor.ts'
import { visibleMs } from './document-events.ts'
import { EventReader } from './event-reader.ts'
import { EventRenderer, type EventRendererDeps, emptyBody } from './event-renderer.ts'
import { HeldRequests } from './held-requests.ts'
import type { RequestLifetime } from './request-lifetime.ts'
import { ScanCheckpoints } from './scan-checkpoints.ts'
import { type EventFilter, subscriptionFor } from './subscription.ts'
import {
  allowedTopics,
  requireTopicRequest,
  type TopicDeps,
  type TopicRequest,
  type TopicSubscription,
} from './topics.ts'

interface EventsRequest extends EventFilter {
  since?: string
  waitMs: number
  /** Topics whose changes end the wait as well. */
  topics?: TopicRequest
}

export interface EventsResponse {
  /** JSON `{ events, cursor }`, shared by readers of the same events. */
  body: Uint8Array
  head: number
  oldest: number
  epoch: string
  changes: { sequence: number; topics: Topic[] } | null
}

interface LiveEventsDeps extends EventRendererDeps, TopicDeps {
  log: EventLog
  clock: Clock
  random: RandomBytes
  projects: ProjectStore
  changeTopics: ChangeTopics
  /** Returns the current caller of a held request's key or session; null if it has ended. */
  renewCaller: (caller: Caller) => Caller | null
  refresh: () => void
  onProblem: (message: string, error: unknown) => void
}

const maxWaitMs = 50_000
/** Longer waits end up to `jitterMs` early, so that clients do not reconnect at the same time. */
const longWaitMs = 20_000
const jitterMs = 2000

const tooManyRequestsError = () =>
  new WorkspaceError(
    'too_many_requests',
    'Too many concurrent event requests. Send one at a time; try again in 1 second.',
    { retryAfterMs: 1000 },
  )

/** Reads events after a cursor, or waits for them (`docs/interface.md#the-cursor`). */
export class LiveEvents {
  private readonly deps: LiveEventsDeps
  private readonly newRenderer: () => EventRenderer
  private readonly reader: EventReader
  private readonly heldRequests: HeldRequests
  private readonly checkpoints: ScanCheckpoints
  private readonly epoch: string

  constructor(deps: LiveEventsDeps) {
    this.deps = deps
    const newRenderer = () => new EventRenderer(deps)
    this.newRenderer = newRenderer
    this.reader = new EventReader({ ...deps, newRenderer })
    this.heldRequests = new HeldRequests({ ...deps, newRenderer })
    this.checkpoints = new ScanCheckpoints(deps.clock)
    this.epoch = deps.log.epoch()
    deps.changeTopics.onChange((topics) => this.heldRequests.wakeForTopics(topics))
  }

  /** @throws WorkspaceError `bad_request`; `unauthorized` if the key ends meanwhile; `too_many_requests` */
  async follow(caller: Caller, request: EventsRequest, lifetime: RequestLifetime): Promise<EventsResponse> {
    const { clock, log } = this.deps
    const { since: sinceText, waitMs, topics, ...filter } = request
    if (topics) requireTopicRequest(topics)
    const topicRequest = topics && { ...topics, sequence: topics.sequence ?? this.deps.changeTopics.sequence }
    const since = parseSince(sinceText, { lastTick: log.state().tick, nowMs: clock.now() })
    const durationMs = this.jitteredWaitMs(waitMs)
    if (durationMs === 0) lifetime.end()
    const timer = durationMs > 0 ? clock.after(durationMs, () => lifetime.end()) : null
    try {
      return await this.readEvents(caller, { filter, since, topicRequest, lifetime })
    } finally {
      timer?.cancel()
    }
  }

  get head(): number {
    return cursorOf(this.deps.log.state().tick)
  }

  get waiterCount(): number {
    return this.heldRequests.waiterCount
  }

  deliver(): void {
    this.heldRequests.deliver()
  }

  release(): void {
    this.heldRequests.release()
  }

  private async readEvents(
    caller: Caller,
    request: {
      filter: EventFilter
      since: Since
      topicRequest: (TopicRequest & { sequence: number }) | undefined
      lifetime: RequestLifetime
    },
  ): Promise<EventsResponse> {
    const { filter, since, topicRequest, lifetime } = request
    const { log, refresh } = this.deps
    const empty = emptyBody(since.cursor)
    for (;;) {
      const state = log.state()
      // Refreshed after the state is read, so that members and projects in memory are no older.
      refresh()
      const currentCaller = this.renewCaller(caller)
      const subscription = subscriptionFor(this.deps, currentCaller, filter)
      const topicSubscription = topicRequest
        ? { ...topicRequest, topics: allowedTopics(this.deps, currentCaller, topicRequest.topics) }
        : null
      if (since.isAhead) return this.respond(empty, state, topicSubscription)

      const after = this.checkpoints.resumeAfter(subscription, since.tick)
      const { rows, tick, rowsChecked } = await this.reader.readBatch(
        subscription,
        { after, upTo: state.tick },
        lifetime,
      )
      if (rows.length === 0) this.checkpoints.record(subscription, since.tick, { tick, rowsChecked })
      if (lifetime.isDisconnected) return this.respond(empty, state, topicSubscription)
      // A long read takes several turns, in which permissions may have changed.
      if (log.state().change !== state.change) continue
      if (rows.length > 0) {
        const body = this.newRenderer().body(rows, subscription)
        if (body === null) continue
        return this.respond(body, state, topicSubscription)
      }

      const outcome = await this.heldRequests.wait({
        subscription,
        tick,
        change: state.change,
        lifetime,
        topicSubscription,
      })
      if (outcome.kind === 'retry') continue
      if (outcome.kind === 'refused') throw tooManyRequestsError()
      // A request that could not be held may have read past what was delivered.
      const latest = this.heldRequests.state.tick > tick ? this.heldRequests.state : state
      return this.respond(outcome.kind === 'events' ? outcome.body : empty, latest, topicSubscription)
    }
  }

  private respond(
    body: Uint8Array,
    { tick, trimmedTick }: LogState,
    topicSubscription: TopicSubscription | null,
  ): EventsResponse {
    const { changeTopics } = this.deps
    const hiddenMs = Math.max(0, this.deps.clock.now() - visibleMs)
    const oldest = Math.max(hiddenMs, cursorOf(trimmedTick))
    return {
      body,
      head: cursorOf(tick),
      oldest,
      epoch: this.epoch,
      changes: topicSubscription && {
        sequence: changeTopics.sequence,
        topics: changeTopics.changedSince(topicSubscription.sequence, topicSubscription.topics),
      },
    }
  }

  private jitteredWaitMs(waitMs: number): number {
    const durationMs = Math.min(waitMs, maxWaitMs)
    if (durationMs < longWaitMs) return durationMs
    const [high, low] = this.deps.random(2)
    return durationMs - ((high! * 256 + low!) / 65_536) * jitterMs
  }

  private renewCaller(caller: Caller): Caller {
    const renewed = this.deps.renewCaller(caller)
    if (renewed) return renewed
    throw new WorkspaceError(
      'unauthorized',
      'This key or session is no longer valid: it was ended, or its member was deactivated.',
    )
  }
}
