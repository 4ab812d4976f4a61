import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { kindInFolder } from '../../../core/documents/model/document-paths.ts'
import type { Address } from '../../../core/documents/model/types.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import { type Page, redirect } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { activityPage } from './activity.ts'
import { withBlockComments } from './block-comments.ts'
import { diffPage } from './diff-page.ts'
import {
  type CommentPageRequest,
  type DocumentContext,
  type DocumentPageRenderer,
  type DocumentServices,
  editPath,
  projectPartOf,
} from './document-context.ts'
import { readingPage } from './document-page.ts'
import { historyPage } from './history.ts'
import { partFragment, partUrl, requestedPart } from './parts.ts'
import { hereSection } from './present-members.ts'
import { documentFoot } from './related.ts'

/** The query selects another view, such as `?history`. Former and other names redirect to the current one. */
export async function documentPage(
  workspace: DocumentServices,
  ctx: RouteContext,
  reader: { caller: Caller; session: OpenSession },
  address: Address,
  reading: DocumentPageRenderer = readingPage,
): Promise<Page | undefined> {
  const { caller } = reader
  const project = requireProject(workspace, caller, address.project)
  const details = await orNotFound(workspace.documents.details.read(caller, address))
  if (!details) {
    const page = workspace.documents.details.movedTo(caller, address)
    return page === null ? notFoundPage(project, address) : redirect(ctx, page + ctx.search)
  }
  if (!isPathOf(ctx.path, details.page)) return redirect(ctx, details.page + ctx.search)
  if (ctx.query.edit !== undefined) return redirect(ctx, editPath(project, details))
  const opened: DocumentContext = { ...reader, workspace, project, address, details }
  const before = queryText(ctx, 'diff')
  const page = await orNotFound(
    before !== undefined
      ? diffPage(opened, before, queryText(ctx, 'to') || undefined)
      : ctx.query.history !== undefined
        ? historyPage(opened, Number(queryText(ctx, 'page') ?? 1))
        : ctx.query.activity !== undefined
          ? activityPage(opened, Number(queryText(ctx, 'page') ?? 1))
          : reading(opened, queryText(ctx, 'revision'), requestedComments(ctx), requestedPart(ctx)),
  )
  if (!page) return requestsRevision(ctx) ? noRevisionPage(opened) : notFoundPage(project, address)
  return {
    ...page,
    isWide: true,
    follows: {
      events: [details.id],
      topics: [
        `document:${details.id}`,
        ...(details.kind === 'document' ? [`here:${details.id}` as const] : []),
      ],
    },
  }
}

const requestedComments = (ctx: RouteContext): CommentPageRequest => ({
  cursor: queryText(ctx, 'comments'),
  at: queryText(ctx, 'at'),
  about: queryText(ctx, 'about'),
})

/** Redirects to the part of a long document that contains the element of `?find=`. */
export async function redirectToElement(
  { rendering, documents }: Pick<Workspace, 'documents' | 'rendering'>,
  ctx: RouteContext,
  caller: Caller,
  address: Address,
): Promise<void> {
  const id = queryText(ctx, 'find')!
  const revision = queryText(ctx, 'revision') || undefined
  const { page } = await documents.details.read(caller, address)
  const part = await rendering.parts.partWith(caller, address, { id, revision })
  const hash = part === null ? '' : `#${encodeURIComponent(id)}`
  redirect(ctx, partUrl(page, part ?? 1, revision) + hash)
}

/** One part of a long document, for the page's script. */
export async function fragmentOf(
  workspace: DocumentServices,
  ctx: RouteContext,
  caller: Caller,
  address: Address,
): Promise<Html> {
  const { rendering, documents } = workspace
  const revision = queryText(ctx, 'revision') || undefined
  const part = requestedPart(ctx, 'fragment')
  const [details, shown] = await Promise.all([
    documents.details.read(caller, address),
    rendering.parts.at(caller, address, { revision, part }),
  ])
  const isOlder = revision !== undefined
  const text = isOlder ? shown.html : await withBlockComments({ workspace, caller, details }, shown)
  return partFragment({ ...shown, html: text }, details.may.edit && !isOlder ? details.path : null)
}

/** Parts of the page that change while the text does not. */
export async function asideOf(
  { rendering, documents, links }: Pick<Workspace, 'documents' | 'links' | 'rendering'>,
  ctx: RouteContext,
  caller: Caller,
  { address, fragment }: { address: Address; fragment: 'here' | 'related' },
): Promise<Html> {
  const details = await documents.details.read(caller, address)
  if (fragment === 'here') return hereSection(details.here, caller.member)
  const revision = queryText(ctx, 'revision') || undefined
  const [shown, { backlinks }] = await Promise.all([
    rendering.parts.at(caller, address, { revision, part: requestedPart(ctx) }),
    links.documents.backlinks(caller, address),
  ])
  const previews = rendering.previews.previewsFor(details.links)
  return documentFoot(details, { previews, backlinks, shown: shown.html })
}

const requestsRevision = ({ query }: RouteContext): boolean =>
  query.revision !== undefined || query.diff !== undefined

/** Null where it is not found, which the page explains itself. */
async function orNotFound<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === 'not_found') return null
    throw error
  })
}

function isPathOf(path: string, page: string): boolean {
  try {
    return decodeURIComponent(path).normalize('NFC') === decodeURIComponent(page).normalize('NFC')
  } catch {
    return false
  }
}

function notFoundPage(project: Project, { folder, name }: Address): Page {
  const noun = kindInFolder[folder]
  const words = name.replaceAll(/[-_/]+/g, ' ').replace(/\.md$/i, '')
  return {
    status: 404,
    title: `Not found · ${project.name}`,
    content: html`${projectHeader(project, projectPartOf[folder])}
<h1>${noun[0]!.toUpperCase()}${noun.slice(1)} not found</h1>
<p>There is no ${noun} named <bdi class="mono">${name}</bdi> here. It may have been renamed or deleted.</p>
<p class="buttons"><a class="button" href="/search?q=${encodeURIComponent(words)}">Search for it</a>
<a class="button second" href="${projectPagePath(project, projectPartOf[folder])}">Show all ${noun}s</a>
<a class="button second" href="${projectPagePath(project, 'trash')}">Look in the trash</a></p>`,
    // The page appears as soon as the document exists.
    follows: { events: [project.id] },
  }
}

function noRevisionPage({ project, address, details }: DocumentContext): Page {
  return {
    status: 404,
    title: `Not found · ${project.name}`,
    content: html`${projectHeader(project, projectPartOf[address.folder])}
<h1>Revision not found</h1>
<p>There is no such revision in the history of <a href="${details.page}"><bdi>${details.title}</bdi></a>.</p>
<p class="buttons"><a class="button" href="${details.page}?history">Show the history</a></p>`,
  }
}
