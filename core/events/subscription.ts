import { hash } from 'node:crypto'
import type { EventLog, EventStreamKind, JoinedRoom } from '../../data/tables/event-log.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { ProjectStore } from '../projects/project-store.ts'

export interface EventFilter {
  project?: string
  documentId?: string
  ownMessages: boolean
  ownWrites: boolean
}

export interface EventStreams {
  kind: EventStreamKind
  ids: readonly string[]
}

/** The events that a request wants and its caller may see. */
export interface EventSubscription {
  caller: Caller
  filter: EventFilter
  rooms: ReadonlySet<string>
  projects: ReadonlySet<string>
  streams: readonly EventStreams[]
  fingerprint: string
}

interface SubscriptionDeps {
  log: EventLog
  projects: ProjectStore
}

export function subscriptionFor(
  { log, projects }: SubscriptionDeps,
  caller: Caller,
  filter: EventFilter,
): EventSubscription {
  const { member } = caller
  const { documentId } = filter
  const requestedProjects =
    filter.project === undefined ? projects.readableBy(member) : [projects.require(member, filter.project)]
  const projectIds = new Set(requestedProjects.map(({ id }) => id))
  const isFollowed = ({ involvement, projectId }: JoinedRoom) =>
    involvement !== 'nothing' &&
    involvement !== 'invisible' &&
    (projectId === null ? filter.project === undefined : projectIds.has(projectId))
  const followsRooms = documentId === undefined && hasScope(caller, 'rooms:read')
  const followed = followsRooms ? log.roomsOf(member.id).filter(isFollowed) : []
  const rooms = new Set(followed.map(({ roomId }) => roomId))
  const streams: EventStreams[] = [
    { kind: 'room', ids: [...rooms] },
    { kind: 'project', ids: [...projectIds] },
    // An ask's creator sees its events even outside their projects.
    ...(filter.project === undefined ? [{ kind: 'asker', ids: [member.id] } as const] : []),
  ]
  return {
    caller,
    filter,
    rooms,
    projects: projectIds,
    streams: documentId === undefined ? streams : [{ kind: 'document', ids: [documentId] }],
    fingerprint: hash('sha1', [...rooms, ...projectIds].join(' '), 'base64'),
  }
}
