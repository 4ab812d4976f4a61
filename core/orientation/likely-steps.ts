import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { RoomListItem } from '../rooms/types.ts'

/** What a caller may do next, to be shown as a request or as a call of a tool. */
export interface LikelySteps {
  'read mentions': object
  'claim the ask': { askId: string }
  'read the room': { room: string }
  'read the project': { slug: string }
  'create a project': object
  'follow events': { since: string }
  search: object
  'read the inbox': object
}

export type LikelyStep = {
  [Name in keyof LikelySteps]: { step: Name } & LikelySteps[Name]
}[keyof LikelySteps]

interface NextWork {
  projects: readonly { slug: string; isArchived: boolean }[] | null
  rooms: readonly (RoomListItem & { unread: number })[] | null
  mentions: readonly unknown[] | null
  asks: readonly { id: string }[] | null
  changes: { cursor: string } | null
}

const maxSteps = 5

export function likelySteps(caller: Caller, work: NextWork): LikelyStep[] {
  const { asks, changes, mentions, projects, rooms } = work
  const [ask] = asks ?? []
  const room = rooms?.toSorted((one, other) => other.unread - one.unread).find(({ joined }) => joined)
  const steps: LikelyStep[] = []
  if (mentions && mentions.length > 0) steps.push({ step: 'read mentions' })
  if (ask && hasScope(caller, 'asks:write')) steps.push({ step: 'claim the ask', askId: ask.id })
  if (room) steps.push({ step: 'read the room', room: room.filename.replace(/\.md$/, '') })
  if (projects) steps.push(projectStep(projects))
  steps.push({ step: 'follow events', since: changes?.cursor ?? '0' }, { step: 'search' })
  if (hasScope(caller, 'mentions:read')) steps.push({ step: 'read the inbox' })
  return steps.slice(0, maxSteps)
}

function projectStep(projects: NonNullable<NextWork['projects']>): LikelyStep {
  // Most requests would be refused in an archived project.
  const project = projects.find(({ isArchived }) => !isArchived)
  return project ? { step: 'read the project', slug: project.slug } : { step: 'create a project' }
}
