import type { Member } from '../core/access/member.ts'
import type { Project } from '../core/access/project.ts'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { explainOpenError } from '../core/home/home-database.ts'
import { type CommandLineWorkspace, openForCommandLine } from '../core/workspace/command-line.ts'
import type { RoomRow } from '../data/tables/rooms.ts'

/** Opens the workspace for one piece of work, even while a server runs on it, and closes it again. */
export async function withWorkspace<T>(
  home: string,
  task: (administration: CommandLineWorkspace) => T | Promise<T>,
  options: Parameters<typeof openForCommandLine>[1] = {},
): Promise<T> {
  try {
    const administration = openForCommandLine(home, options)
    try {
      return await task(administration)
    } finally {
      await administration.close()
    }
  } catch (error) {
    throw explainOpenError(home, error)
  }
}

/** Finds a member by id, slug or exact name. @throws WorkspaceError `not_found` */
export function requireMember({ members }: CommandLineWorkspace, text: string): Member {
  const member = members.resolve(text)
  if (member) return member
  throw new WorkspaceError('not_found', `There is no member ${text}. List them with: workroom member list`)
}

export function requireRoom({ memberships, rooms }: CommandLineWorkspace, text: string): RoomRow {
  const room = memberships.find(text) ?? rooms.all().find(({ name }) => name === text)
  if (room) return room
  throw new WorkspaceError('not_found', `There is no room ${text}. List them with: workroom room list`)
}

/** Finds a project by id, slug or exact name. @throws WorkspaceError `not_found` */
export function requireProject({ projects }: CommandLineWorkspace, text: string): Project {
  const project = projects.resolve(text)
  if (project) return project
  const slugs = projects.all().map(({ slug }) => slug)
  throw new WorkspaceError('not_found', `There is no project ${text}. There are: ${slugs.join(', ')}`)
}
