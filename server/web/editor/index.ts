import type { Caller } from '../../../core/access/member.ts'
import type { Address, Folder } from '../../../core/documents/model/types.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import { readMarkdown } from '../../middleware/body.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { requireProject } from '../projects/frame.ts'
import { requireCaller } from '../signed-in.ts'
import { editPage } from './edit.ts'
import { editHomePage, saveHomePage } from './edit-home-page.ts'
import { newPage } from './new.ts'
import { publishedPostPage } from './not-editable.ts'

const folders: readonly Folder[] = ['documents', 'drafts', 'posts', 'board']

export function editorRoutes(
  workspace: Pick<Workspace, 'directory' | 'documents' | 'files' | 'projects' | 'random' | 'rendering'>,
  { page, browserSessions, limits }: Pick<ServerParts, 'page' | 'browserSessions' | 'limits'>,
): Routes {
  const editing = (addressOf: (params: Record<string, string>) => Omit<Address, 'project'>) =>
    page((ctx, { caller }) => {
      const address = { project: ctx.params.slug!, ...addressOf(ctx.params) }
      return editPage(workspace, ctx, caller, address)
    })
  return newRoutes()
    .purpose('Page: edit the home page')
    .get(
      '/projects/:slug/edit',
      page((ctx, { caller }) =>
        editHomePage(workspace, caller, requireProject(workspace, caller, ctx.params.slug!)),
      ),
    )
    .purpose('Write the home page, for the page on which it is edited')
    .put('/projects/:slug/home', async (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to save the home page.')
      const project = requireProject(workspace, caller, ctx.params.slug!)
      const expected = queryText(ctx, 'expected') ?? ''
      const read = (limitBytes: number) => readMarkdown(ctx, limitBytes)
      await saveHomePage(workspace, caller, project, { expected, read })
      ctx.set('Cache-Control', 'no-store')
      ctx.body = { saved: true }
    })
    .purpose('Page: edit a card')
    .get(
      '/projects/:slug/edit/board/:number',
      page(async (ctx, { caller }) => {
        const address = await cardAddress(workspace, caller, ctx.params.slug!, ctx.params.number!)
        return editPage(workspace, ctx, caller, address)
      }),
    )
    .purpose('Page: edit a document')
    .get(
      '/projects/:slug/edit/docs/*name',
      editing(({ name }) => ({ folder: 'documents', name: name!.replace(/\/$/, '') })),
    )
    .purpose('Page: edit one of your drafts')
    .get(
      '/projects/:slug/edit/drafts/:name',
      editing(({ name }) => ({ folder: 'drafts', name: name! })),
    )
    .purpose('Page: why a published post cannot be edited')
    .get(
      '/projects/:slug/edit/posts/:name',
      page(async (ctx, { caller }) => {
        const address: Address = { project: ctx.params.slug!, folder: 'posts', name: ctx.params.name! }
        const details = await workspace.documents.details.read(caller, address)
        return publishedPostPage(requireProject(workspace, caller, address.project), details)
      }),
    )
    .purpose('Page: write something new; ?kind=document, post, draft or card, ?column=, ?folder=')
    .get(
      '/projects/:slug/new',
      page((ctx, { caller }) => newPage(workspace, ctx, caller)),
    )
    .purpose('Render a text as its page would, for an open page; ?folder=, ?id=, ?in=')
    .post('/projects/:slug/preview', async (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to see a preview.')
      const id = queryText(ctx, 'id')
      const subFolder = queryText(ctx, 'in')
      const writing = {
        project: ctx.params.slug!,
        folder: requestedFolder(ctx),
        ...(id !== undefined && { id }),
        ...(subFolder !== undefined && { subFolder }),
      }
      // Before the body is read: a long text need not be sent without permission.
      requireProject(workspace, caller, writing.project)
      const text = await readMarkdown(ctx, limits.markdownBytes)
      ctx.set('Cache-Control', 'no-store')
      ctx.body = await workspace.rendering.preview.render(caller, writing, text)
    })
}

function requestedFolder(ctx: RouteContext): Folder {
  const requested = queryText(ctx, 'folder') ?? 'documents'
  const folder = folders.find((one) => one === requested)
  if (folder) return folder
  throw new WorkspaceError('bad_request', `?folder= must be one of ${folders.join(', ')}.`)
}

/** Finds a card by number, in any column. @throws WorkspaceError `not_found`, `forbidden` */
async function cardAddress(
  { documents }: Pick<Workspace, 'documents'>,
  caller: Caller,
  project: string,
  name: string,
): Promise<Address> {
  const cards = await documents.board.cards(caller, project)
  const card = cards.find(({ number }) => String(number) === name)
  if (!card) throw new WorkspaceError('not_found', `There is no card ${JSON.stringify(name)} on this board.`)
  return { project, folder: 'board', column: card.column, name }
}
