import type { Caller } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import { asksPagePath, projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'

interface Action {
  title: string
  page: string
  /** The name of its project. */
  where?: string
}

/** Offers what a member can create. @param at path of this or an earlier page, whose project is used */
export function actionsFor(workspace: Workspace, { member }: Caller, at: string): Action[] {
  const open = workspace.directory.projects.readableBy(member).filter(({ archivedMs }) => archivedMs === null)
  const slug = /^\/projects\/([^/?#]+)/.exec(at)?.[1]
  const project = open.find((one) => one.slug === slug) ?? open[0]
  return [
    ...(project ? projectActions(project) : []),
    { title: 'New room', page: '/rooms#room-name' },
    { title: 'New direct message', page: '/rooms#new-direct' },
    ...(isAdmin(member) ? [{ title: 'Invite people', page: '/invites#new-invite' }] : []),
  ]
}

function projectActions(project: Project): Action[] {
  const where = project.name
  const newPagePath = (kind: string) => `${projectPagePath(project, 'new')}?kind=${kind}`
  return [
    { title: 'New document', page: newPagePath('document'), where },
    { title: 'New card', page: newPagePath('card'), where },
    { title: 'New post', page: newPagePath('draft'), where },
    { title: 'New ask', page: `${asksPagePath(project)}#new-ask`, where },
    { title: 'Upload files', page: projectPagePath(project, 'files'), where },
  ]
}
