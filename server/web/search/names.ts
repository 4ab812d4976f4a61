import type { Caller } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import { asksPagePath, projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { nameKindLabels } from './kinds.ts'
import { ownPages } from './own-pages.ts'

const maxSuggestions = 6

/** For the search field of an open page. */
export const nameRoutes = (
  workspace: Pick<Workspace, 'directory' | 'links' | 'search'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Find by name, for the search field of an open page')
    .get(
      '/navigation/names',
      page(async (ctx, { caller }) => {
        const query = queryText(ctx, 'q') ?? ''
        const { named, isSimilar } = await workspace.search.names.find(
          caller,
          { query, limit: maxSuggestions },
          ownPages(caller.member),
        )
        ctx.set('Cache-Control', 'no-store')
        const labelled = named.map((match) => ({ ...match, kind: nameKindLabels[match.kind].one }))
        ctx.body = { named: labelled, isSimilar }
        return undefined
      }),
    )
    .purpose('Find the token that links to something in any project; ?q=')
    .get(
      '/navigation/refs',
      page(async (ctx, { caller }) => {
        ctx.set('Cache-Control', 'no-store')
        ctx.body = { refs: await workspace.links.refs.findInAllProjects(caller, queryText(ctx, 'q') ?? '') }
        return undefined
      }),
    )
    .purpose('List the actions for the search field of an open page; ?at=')
    .get(
      '/navigation/actions',
      page((ctx, { caller }) => {
        ctx.set('Cache-Control', 'no-store')
        ctx.body = { actions: actionsFor(workspace, caller, queryText(ctx, 'at') ?? '/') }
        return undefined
      }),
    )

interface Action {
  title: string
  page: string
  /** The name of its project. */
  where?: string
}

/** Offers what a member can create. @param at path of this or an earlier page, whose project is used */
function actionsFor(workspace: Pick<Workspace, 'directory'>, { member }: Caller, at: string): Action[] {
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
