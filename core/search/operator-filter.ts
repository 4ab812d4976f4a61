import type { RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
import type { SearchFilter } from '../../data/tables/search.ts'
import type { Caller, Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { startOfDay } from '../time/calendar.ts'
import type { SearchOperators } from './search-operators.ts'

interface OperatorFilterDeps {
  members: Pick<MemberStore, 'resolve' | 'active'>
  projects: ProjectStore
  rooms: RoomsTable
}

const maxListedNames = 10

/** Dates are days in `timeZone`. @throws WorkspaceError `bad_request` for an unknown name or no date */
export function applyOperators(
  operators: SearchOperators,
  filter: SearchFilter,
  { caller, timeZone }: { caller: Caller; timeZone: string },
  deps: OperatorFilterDeps,
): SearchFilter {
  const { from, in: place, before, after, has } = operators
  if (has !== undefined && has.toLowerCase() !== 'file') {
    throw new WorkspaceError(
      'bad_request',
      `has:${has} is not supported. Use has:file to find what has a file.`,
    )
  }
  return {
    ...(place === undefined ? filter : restrictToPlace(place, filter, caller, deps)),
    ...(from !== undefined && { authorId: memberFor(from, caller, deps).id }),
    ...(before !== undefined && { beforeMs: dayFor('before', before, timeZone) }),
    ...(after !== undefined && { fromMs: dayFor('after', after, timeZone) }),
    ...(has !== undefined && { hasFile: true }),
  }
}

/** Searches both a room and a project of the name, and with a project its rooms. */
function restrictToPlace(
  name: string,
  filter: SearchFilter,
  { member }: Caller,
  { projects, rooms }: OperatorFilterDeps,
): SearchFilter {
  const isNamed = ({ id, slug, name: title }: RoomRow | Project) =>
    [id, slug, title.toLowerCase()].includes(foldedName)
  const foldedName = name.replace(/^#/, '').toLowerCase()
  const readableRooms = rooms.joinedBy(member.id).filter(({ id }) => filter.rooms.includes(id))
  const readableProjects = projects.readableBy(member).filter(({ id }) => filter.projects.includes(id))
  const projectIds = readableProjects.filter(isNamed).map(({ id }) => id)
  const roomIds = readableRooms
    .filter((room) => isNamed(room) || (room.projectId !== null && projectIds.includes(room.projectId)))
    .map(({ id }) => id)
  if (projectIds.length + roomIds.length > 0) return { ...filter, projects: projectIds, rooms: roomIds }
  const slugs = [...readableRooms, ...readableProjects].map(({ slug }) => slug)
  throw new WorkspaceError(
    'bad_request',
    `in:${name} is not one of your rooms and projects. They are: ${formatNames(slugs)}.`,
  )
}

function memberFor(name: string, { member }: Caller, { members }: OperatorFilterDeps): Member {
  const bareName = name.replace(/^@/, '')
  if (bareName.toLowerCase() === 'me') return member
  const found = members.resolve(bareName) ?? onlyOneOf(membersNamed(bareName.toLowerCase(), members.active()))
  if (found) return found
  throw new WorkspaceError(
    'bad_request',
    `from:${name} names no member, or more than one. Write the whole name, in double quotes if it has spaces, or from:me.`,
  )
}

const membersNamed = (foldedName: string, active: readonly Member[]): Member[] =>
  active.filter(({ name }) => {
    const folded = name.toLowerCase()
    return folded === foldedName || folded.startsWith(`${foldedName} `)
  })

const onlyOneOf = (members: readonly Member[]): Member | null => (members.length === 1 ? members[0]! : null)

function dayFor(operator: 'before' | 'after', date: string, timeZone: string): number {
  const startMs = startOfDay(date, timeZone)
  if (startMs !== null) return startMs
  throw new WorkspaceError('bad_request', `${operator}:${date} is not a date. A date looks like 2026-06-18.`)
}

function formatNames(names: readonly string[]): string {
  const omittedCount = names.length - maxListedNames
  return `${names.slice(0, maxListedNames).join(', ')}${omittedCount > 0 ? `, and ${omittedCount} more` : ''}`
}
