import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { Caller, Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { OfferedPlaces, Places } from '../members/invites.ts'
import type { ProjectJoinEvent } from '../projects/join-event.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from './memberships.ts'

interface InvitedPlacesDeps {
  projects: ProjectStore
  memberships: Memberships
  rooms: Pick<RoomsTable, 'joinedBy'>
  events: { append(event: ProjectJoinEvent): unknown }
}

const maxOfEach = 50

export class InvitedPlaces {
  constructor(private readonly deps: InvitedPlacesDeps) {}

  /** Allows any project, open rooms, and closed rooms that the caller is in. @throws WorkspaceError */
  require(caller: Caller, request: Partial<Places>): Places {
    const { projects = [], rooms = [] } = request
    if (projects.length > maxOfEach || rooms.length > maxOfEach) {
      throw new WorkspaceError(
        'bad_request',
        `An invite includes at most ${maxOfEach} projects and ${maxOfEach} rooms.`,
      )
    }
    const offered = new Set(projects.map((slugOrId) => this.requireProject(slugOrId).id))
    return {
      projects: [...offered],
      rooms: [...new Set(rooms.map((slugOrId) => this.requireRoom(caller, slugOrId, offered)))],
    }
  }

  /** Must be called inside the commit that adds the member; `refresh` follows it. Skips what is gone. */
  join(member: Member, { projects, rooms }: Places, inviter: Member | null): void {
    for (const id of projects) {
      const project = this.deps.projects.find(id)
      if (project?.deletedMs === null) this.joinProject(member, project, inviter)
    }
    for (const id of rooms) {
      const room = this.deps.memberships.find(id)
      const isOffered = room && (room.projectId === null || projects.includes(room.projectId))
      if (isOffered && room.type !== 'direct') this.deps.memberships.add(room, member)
    }
  }

  /** What `require` allows, without the room that all new members join. */
  choices({ member }: Caller): OfferedPlaces {
    const { memberships, projects, rooms } = this.deps
    return {
      projects: projects
        .listableBy(member)
        .filter(({ archivedMs }) => archivedMs === null)
        .map((project) => ({
          id: project.id,
          name: project.name,
          isOwn: projects.roleOf(project, member) !== null,
        })),
      rooms: rooms
        .joinedBy(member.id)
        .filter((room) => room.type !== 'direct' && !room.welcomesPeople && memberships.isIn(room, member))
        .map(({ id, name, projectId }) => ({
          id,
          name,
          projectName: projectId === null ? null : (projects.find(projectId)?.name ?? null),
        })),
    }
  }

  /** Does not name closed rooms that the reader is not in. */
  names({ member }: Caller, places: Partial<Places>): string[] {
    const { memberships, projects } = this.deps
    return [
      ...(places.projects ?? []).flatMap((id) => projects.find(id)?.name ?? []),
      ...(places.rooms ?? []).flatMap((id) => {
        const room = memberships.find(id)
        if (!room) return []
        return room.type === 'open' || memberships.isIn(room, member) ? room.name : 'a closed room'
      }),
    ]
  }

  refresh(): void {
    this.deps.projects.refresh()
  }

  private joinProject(member: Member, project: Project, inviter: Member | null): void {
    const { events, projects } = this.deps
    projects.admit(project, member)
    if (!inviter || projects.roleOf(project, inviter) !== null) return
    events.append({
      type: 'project.join',
      projectId: project.id,
      actorId: inviter.id,
      detail: { memberId: member.id, role: 'member' },
    })
  }

  private requireProject(slugOrId: string): Project {
    const project = this.deps.projects.find(slugOrId)
    if (project?.deletedMs === null) return project
    throw new WorkspaceError('bad_request', `There is no project ${slugOrId}.`, {
      next: { step: 'list projects' },
    })
  }

  private requireRoom(caller: Caller, slugOrId: string, projects: ReadonlySet<string>): string {
    const { memberships } = this.deps
    const room = memberships.find(slugOrId)
    if (!room) {
      throw new WorkspaceError('bad_request', `There is no room ${slugOrId}.`, {
        next: { step: 'list rooms' },
      })
    }
    if (room.type === 'direct') {
      throw new WorkspaceError('bad_request', 'An invite cannot include a direct room.')
    }
    if (room.projectId !== null && !projects.has(room.projectId)) {
      throw new WorkspaceError(
        'bad_request',
        `The room ${room.name} belongs to a project. Name the project in the invite as well.`,
      )
    }
    if (room.type === 'closed') memberships.requireIn(caller.member, room.id)
    return room.id
  }
}
