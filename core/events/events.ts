import type { Database } from '../../data/database.ts'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { EventRecord, EventsTable } from '../../data/tables/events.ts'
import { type DocumentEvent, storedDetail } from '../documents/model/document-event.ts'
import type { RandomBytes } from '../ids.ts'
import type { ProjectJoinEvent } from '../projects/join-event.ts'
import type { SkillPublishEvent } from '../skills/publish-event.ts'
import type { Clock } from '../time/clock.ts'
import { nextTick } from './cursor.ts'
import type { MessageMarkEvent } from './message-events.ts'
import type { RoomChangeEvent } from './room-events.ts'

interface MessageEvent {
  type: 'message'
  roomId: string
  messageId: string
  actorId: string
}

export interface AskEvent {
  type: 'ask'
  projectId: string
  askerId: string
  actorId: string
  detail: {
    askId: string
    state: 'open' | 'claimed' | 'resolved' | 'cancelled'
    preview: string
    chosenOption?: string
    resolution?: string
  }
}

type LoggedEvent =
  | DocumentEvent
  | MessageEvent
  | MessageMarkEvent
  | AskEvent
  | ProjectJoinEvent
  | RoomChangeEvent
  | SkillPublishEvent

/** Identifies a log: restoring a backup starts another one. */
export const newEpoch = (random: RandomBytes): string => Buffer.from(random(16)).toString('hex')

/** Starts the log of a new database. @throws errors of SQLite */
export async function startEventLog({
  database,
  loggedEvents,
  random,
}: {
  database: Database
  loggedEvents: EventsTable
  random: RandomBytes
}): Promise<void> {
  if (!loggedEvents.hasBegun()) await database.commit(() => loggedEvents.begin(newEpoch(random)))
}

interface EventsDeps {
  loggedEvents: EventsTable
  log: Pick<EventLog, 'hide' | 'show'>
  clock: Clock
}

export class Events {
  constructor(private readonly deps: EventsDeps) {}

  /** Must be called inside a commit. Returns the tick. */
  append(event: LoggedEvent): number {
    return this.appendAll([event])[0]!
  }

  appendAll(events: readonly LoggedEvent[]): number[] {
    const { clock, loggedEvents } = this.deps
    const atMs = clock.now()
    let tick = loggedEvents.lastTick()
    const ticks = events.map((event) => {
      tick = nextTick(tick, atMs)
      const { type, actorId } = event
      loggedEvents.add({ tick, type, actorId, atMs, ...subjectOf(event) })
      return tick
    })
    loggedEvents.setLastTick(tick)
    return ticks
  }

  /** Hides an event, and all after it, from readers until `show`. */
  hide(tick: number): void {
    this.deps.log.hide(tick)
  }

  show(tick: number): void {
    this.deps.log.show(tick)
  }

  /** Removes an event that was never visible; its tick is not reused. */
  remove(tick: number): void {
    this.deps.loggedEvents.remove(tick)
  }
}

type Subject = Omit<EventRecord, 'tick' | 'type' | 'actorId' | 'atMs'>

const noSubject = { documentId: null, roomId: null, messageId: null, askerId: null }

function subjectOf(event: LoggedEvent): Subject {
  switch (event.type) {
    case 'message': {
      const { roomId, messageId } = event
      return { ...noSubject, projectId: null, roomId, messageId, via: 'api', detail: '{}' }
    }
    case 'message.reaction':
    case 'message.pin': {
      const { roomId, messageId, detail } = event
      return { ...noSubject, projectId: null, roomId, messageId, via: 'api', detail: JSON.stringify(detail) }
    }
    case 'room.change': {
      const { roomId, detail } = event
      // A removed member receives the event although they have left the room.
      const askerId = detail.memberId ?? null
      return { ...noSubject, projectId: null, roomId, askerId, via: 'api', detail: JSON.stringify(detail) }
    }
    case 'ask': {
      const { projectId, askerId, detail } = event
      return { ...noSubject, projectId, askerId, via: 'api', detail: JSON.stringify(detail) }
    }
    case 'project.join': {
      const { projectId, detail } = event
      return { ...noSubject, projectId, via: 'api', detail: JSON.stringify(detail) }
    }
    case 'skill.publish': {
      const { projectId, actorId, detail } = event
      return {
        ...noSubject,
        projectId,
        via: actorId === null ? 'disk' : 'api',
        detail: JSON.stringify(detail),
      }
    }
    default: {
      const { projectId, documentId, via, detail } = event
      return { ...noSubject, projectId, documentId, via, detail: storedDetail(detail) }
    }
  }
}
