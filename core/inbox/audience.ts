import type { Project } from '../access/project.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import type { ProjectStore } from '../projects/project-store.ts'

export const broadcastIds = ['__here__', '__channel__', '__everyone__'] as const

/** Excludes the author. Agents count in their projects; people get a record even before they may read it. */
export function projectAudience(
  mentioned: string[],
  project: Project,
  authorId: string,
  deps: { members: MemberStore; projects: ProjectStore; presence: OnlinePresence },
): string[] {
  const { members, projects, presence } = deps
  const inProject = new Set(projects.members(project).map(({ memberId }) => memberId))
  const expand = (id: string): Iterable<string> => {
    if (id === '__everyone__') return members.active().map((member) => member.id)
    if (id === '__channel__') return inProject
    if (id === '__here__') return [...inProject].filter((memberId) => presence.isOnline(memberId))
    return [id]
  }
  const audience = new Set(mentioned.flatMap((id) => [...expand(id)]))
  audience.delete(authorId)
  return [...audience].filter((id) => {
    const member = members.find(id)
    return member?.status === 'active' && (member.type === 'human' || inProject.has(id))
  })
}
