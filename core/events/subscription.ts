import { hash } from 'node:crypto'
import type { EventLog, EventStreamKind, JoinedRoom } from '../../data/tables/event-log.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { ProjectStore } from '../projects/project-store.ts'

/** What of the log a request asks for. */
export interface EventFilter {
  /** Slug or id: only the rooms, asks and documents of this project. */
  project?: string
  /** Only this document's writes and its deletion. */
  documentId?: string
  /** Also the caller's own messages. */
  ownMessages: boolean
  /** Also the caller's own writes of documents. */
  ownWrites: boolean
}

/** The rooms, projects, documents or askers whose events a reader's answer is merged from. */
export interface EventStreams {
  kind: EventStreamKind
  ids: readonly string[]
}

/** How far a request reaches at this moment: what it asks for, and what of that its caller may see. */
export interface EventSubscription {
  caller: Caller
  filter: EventFilter
  /** Ids of the rooms that are heard. */
  rooms: ReadonlySet<string>
  /** Ids of the projects that may be entered. */
  projects: ReadonlySet<string>
  sources: readonly EventStreams[]
  /** The same for as long as the caller may see the same. */
  fingerprint: string
}

interface ReachDeps {
  log: EventLog
  projects: ProjectStore
}

/** @throws WorkspaceError `not_found` or `forbidden` for a project that is not there, or not the caller's to enter */
export function subscriptionFor(
  { log, projects }: ReachDeps,
  caller: Caller,
  filter: EventFilter,
): EventSubscription {
  const { member } = caller
  const { documentId } = filter
  const asked =
    filter.project === undefined ? projects.readableBy(member) : [projects.require(member, filter.project)]
  const inProjects = new Set(asked.map(({ id }) => id))
  const isHeard = ({ involvement, projectId }: JoinedRoom) =>
    involvement !== 'nothing' &&
    involvement !== 'invisible' &&
    (projectId === null ? filter.project === undefined : inProjects.has(projectId))
  const hearsRooms = documentId === undefined && hasScope(caller, 'rooms:read')
  const heard = hearsRooms ? log.roomsOf(member.id).filter(isHeard) : []
  const rooms = new Set(heard.map(({ roomId }) => roomId))
  const sources: EventStreams[] = [
    { kind: 'room', ids: [...rooms] },
    { kind: 'project', ids: [...inProjects] },
    // Whoever has raised an ask hears what becomes of it, wherever they are by then.
    ...(filter.project === undefined ? [{ kind: 'asker', ids: [member.id] } as const] : []),
  ]
  return {
    caller,
    filter,
    rooms,
    projects: inProjects,
    sources: documentId === undefined ? sources : [{ kind: 'document', ids: [documentId] }],
    fingerprint: hash('sha1', [...rooms, ...inProjects].join(' '), 'base64'),
  }
}
