import type { Database } from '../../data/database.ts'
import type { LastVisitRow, LastVisitsTable } from '../../data/tables/last-visits.ts'
import type { Caller } from '../access/member.ts'
import type { EventsResponse, LiveEvents } from '../events/live-events.ts'
import { RequestLifetime } from '../events/request-lifetime.ts'
import type { Clock } from '../time/clock.ts'

interface VisitsDeps {
  clock: Clock
  database: Database
  lastVisits: LastVisitsTable
  live: Pick<LiveEvents, 'follow' | 'head'>
}

interface ChangedDocument {
  title: string
  author: string
  path: string
  isDeleted: boolean
}

export interface ChangesSince {
  /** Unix milliseconds; null if the caller named a cursor. */
  visitMs: number | null
  cursor: string
  messages: number
  asks: number
  documents: ChangedDocument[]
  /** Whether there are more events than were counted. */
  isCut: boolean
}

interface EventView {
  type: string
  title?: string
  author?: string
  path?: string
}

/** Requests within this time are one visit, so that a repeated one has the same response. */
const visitMs = 60 * 1000
const maxEvents = 100

export class Visits {
  constructor(private readonly deps: VisitsDeps) {}

  /** Null on the first visit. `since` replaces the last visit's cursor. A browser's visit is not recorded. */
  async changesFor(caller: Caller, since?: string): Promise<ChangesSince | null> {
    const visit = caller.signedInMs === undefined ? await this.record(caller.keyId) : null
    const cursor = since ?? visit?.previousCursor?.toString()
    if (cursor === undefined) return null
    const request = { since: cursor, waitMs: 0, ownMessages: false, ownWrites: false }
    const lifetime = new RequestLifetime()
    const response = await this.deps.live.follow(caller, request, lifetime)
    return changesIn(response, cursor, since === undefined ? visit!.previousMs : null)
  }

  /** If the disk cannot be written, the read succeeds and the last visit stays. */
  private async record(keyId: string): Promise<LastVisitRow> {
    const { clock, database, lastVisits, live } = this.deps
    const last = lastVisits.find(keyId)
    const atMs = clock.now()
    if (last && atMs >= last.atMs && atMs - last.atMs < visitMs) return last
    const visit = {
      keyId,
      atMs,
      cursor: live.head,
      previousMs: last?.atMs ?? null,
      previousCursor: last?.cursor ?? null,
    }
    await database.commit(() => lastVisits.put(visit)).catch(() => {})
    return visit
  }
}

function changesIn({ body }: EventsResponse, cursor: string, visitMs: number | null): ChangesSince {
  const { events } = JSON.parse(Buffer.from(body).toString()) as { events: EventView[] }
  const documents = new Map<string, ChangedDocument>()
  for (const { type, title, author, path } of events) {
    if (title === undefined || path === undefined) continue
    documents.delete(path)
    documents.set(path, { title, author: author ?? '', path, isDeleted: type === 'doc.delete' })
  }
  return {
    visitMs,
    cursor,
    messages: events.filter(({ type }) => type === 'message').length,
    asks: events.filter(({ type }) => type === 'ask').length,
    documents: [...documents.values()].reverse(),
    isCut: events.length >= maxEvents,
  }
}
