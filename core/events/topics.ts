import type { Caller } from '../access/member.ts'
import { hasScope, mayReadProject, mayWatchMember } from '../access/permissions.ts'
import type { ChangeTopics, Topic } from '../change-topics/change-topics.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'

export interface TopicRequest {
  topics: readonly string[]
  /** Null: from now on. */
  sequence: number | null
}

export interface TopicSubscription {
  topics: readonly Topic[]
  sequence: number
}

export interface TopicDeps {
  catalogue: Catalogue
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
}

const maxTopics = 20

export function requireTopicRequest({ topics }: TopicRequest): void {
  if (topics.length > maxTopics) {
    throw new WorkspaceError('bad_request', `touch accepts at most ${maxTopics} topics.`)
  }
}

/** Skips unknown topics like forbidden ones. */
export function allowedTopics(deps: TopicDeps, caller: Caller, topics: readonly string[]): Topic[] {
  return [...new Set(topics)].filter((topic) => mayFollow(deps, caller, topic))
}

function mayFollow(deps: TopicDeps, caller: Caller, topic: string): topic is Topic {
  const { catalogue, members, memberships, projects } = deps
  const { member } = caller
  if (topic === 'workspace' || topic === 'presence') return true
  const [, kind, id = ''] = /^(\w+):(\w+)$/.exec(topic) ?? []
  switch (kind) {
    case 'room': {
      const room = memberships.find(id)
      return room?.id === id && hasScope(caller, 'rooms:read') && memberships.mayRead(room, member)
    }
    case 'board':
    case 'docs':
    case 'project': {
      const project = projects.find(id)
      return project?.id === id && mayReadProject(projects.roleOf(project, member))
    }
    case 'here':
    case 'document': {
      const record = catalogue.find(id)
      return record !== null && mayRead(caller, record, projects)
    }
    case 'member': {
      const followed = members.find(id)
      return followed !== null && mayWatchMember(member, followed)
    }
    default:
      return false
  }
}

export const hasChanges = (
  changeTopics: Pick<ChangeTopics, 'changedSince'>,
  { sequence, topics }: TopicSubscription,
): boolean => changeTopics.changedSince(sequence, topics).length > 0
