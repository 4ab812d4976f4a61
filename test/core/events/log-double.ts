import type { Caller } from '../../../core/access/member.ts'
import type { EventRenderer } from '../../../core/events/event-renderer.ts'
import type { EventSubscription } from '../../../core/events/subscription.ts'
import type { EventLog, EventStreamKind } from '../../../data/tables/event-log.ts'
import type { EventRecord } from '../../../data/tables/events.ts'

/** An event log in memory that counts what is read of it. */
export class LogDouble {
  readonly rows: EventRecord[] = []
  readonly changes = new Map<string, number>()
  /** The number of rows answered, and below, of reads. */
  rowsRead = 0
  reads = 0
  change = 0

  /** Appends a message to a room, or a write of a document to a project. */
  add(place: { roomId: string } | { projectId: string; documentId: string }, atMs = 0): EventRecord {
    const row: EventRecord = {
      tick: (this.rows.at(-1)?.tick ?? 0) + 1,
      type: 'roomId' in place ? 'message' : 'doc.write',
      atMs,
      actorId: null,
      projectId: null,
      documentId: null,
      roomId: null,
      messageId: null,
      askerId: null,
      via: null,
      detail: '{}',
      ...place,
    }
    this.rows.push(row)
    return row
  }

  /** Records a change of a member's access. */
  changeOf(memberId: string): void {
    this.change += 1
    this.changes.set(memberId, this.change)
  }

  readonly log: EventLog = {
    hide: () => {},
    show: () => {},
    state: () => ({ tick: this.rows.at(-1)?.tick ?? 0, change: this.change, trimmedTick: 0 }),
    epoch: () => '',
    membersChangedSince: (change) => [...this.changes].filter(([, at]) => at > change).map(([id]) => id),
    roomsOf: () => [],
    between: (after, upTo, limit) => this.read(after, upTo, limit, () => true),
    betweenIn: (source, id, { after, upTo, limit }) =>
      this.read(after, upTo, limit, (row) => row[columnOf[source]] === id),
    firstTicksIn: (source, ids, { after, upTo }) =>
      ids.flatMap((id) => {
        this.reads += 1
        const row = this.rows.find(
          (row) => row.tick > after && row.tick <= upTo && row[columnOf[source]] === id,
        )
        return row ? [{ id, tick: row.tick }] : []
      }),
    oldestOfDocumentsMs: () => null,
    trimDocuments: () => 0,
  }

  private read(after: number, upTo: number, limit: number, isWanted: (row: EventRecord) => boolean) {
    const found = this.rows.filter((row) => row.tick > after && row.tick <= upTo && isWanted(row))
    const rows = found.slice(0, limit)
    this.reads += 1
    this.rowsRead += rows.length
    return rows
  }
}

const columnOf = { room: 'roomId', project: 'projectId', document: 'documentId', asker: 'askerId' } as const

/** A subscription to these event streams. */
export function reaching(
  memberId: string,
  sources: [kind: EventStreamKind, id: string][],
): EventSubscription {
  const ids = (wanted: EventStreamKind) =>
    new Set(sources.filter(([kind]) => kind === wanted).map(([, id]) => id))
  return {
    caller: { member: { id: memberId }, keyId: `key of ${memberId}`, scopes: new Set() } as unknown as Caller,
    filter: { ownMessages: false, ownWrites: false },
    rooms: ids('room'),
    projects: ids('project'),
    streams: sources.map(([kind, id]) => ({ kind, ids: [id] })),
    fingerprint: JSON.stringify(sources),
  }
}

/** A renderer that answers the ticks of the events that are not hidden. */
export function tickRenderer(
  isHidden: (row: EventRecord, subscription: EventSubscription) => boolean = () => false,
) {
  let looks = 0
  const shown = (row: EventRecord, subscription: EventSubscription) => {
    looks += 1
    const isReached = subscription.streams.some(({ kind, ids }) => ids.includes(row[columnOf[kind]]!))
    return isReached && !isHidden(row, subscription)
  }
  const renderer = {
    isVisible: shown,
    body(rows: EventRecord[], subscription: EventSubscription) {
      const ticks = rows.filter((row) => shown(row, subscription)).map(({ tick }) => tick)
      return ticks.length === 0 ? null : ticks.join()
    },
  } as unknown as EventRenderer
  return {
    newRenderer: () => renderer,
    /** How often an event was checked for a reader. */
    get looks() {
      return looks
    },
  }
}
