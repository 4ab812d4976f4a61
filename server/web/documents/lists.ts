import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { DocumentDetails } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { dateTime, relativeTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { type ProjectPart, projectHeader, requireProject } from '../projects/frame.ts'
import { commentCount } from './comments.ts'

const rowsPerPage = 50

/** Pinned posts first, then by most recent activity. */
export async function postListPage(
  workspace: Pick<Workspace, 'directory' | 'documents'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const all = await workspace.documents.details.list(caller, project.slug, 'posts')
  const posts = [...all.filter(({ isPinned }) => isPinned), ...all.filter(({ isPinned }) => !isPinned)]
  const isDeep = posts.length > rowsPerPage
  const pages = Math.max(1, Math.ceil(posts.length / rowsPerPage))
  const at = Math.min(Math.max(Math.trunc(Number(queryText(ctx, 'page'))) || 1, 1), pages)
  const shown = posts.slice((at - 1) * rowsPerPage, at * rowsPerPage)
  return listPage(project, 'posts', {
    title: 'Posts',
    isEmpty: posts.length === 0,
    empty: html`<p>No posts yet.</p>
<p>A post announces something to everyone in the project, such as a decision or a result. \
Others can comment on it. A published post cannot be changed.</p>`,
    kind: 'post',
    first: 'Write a post',
    list: html`<ul class="rows">${shown.map(postRow)}</ul>
${
  isDeep &&
  html`<p class="buttons">${
    at > 1 && html`<a class="button small second" href="?page=${at - 1}">Newer</a>`
  } <span class="hint">Page ${at} of ${pages}</span> ${
    at < pages && html`<a class="button small second" href="?page=${at + 1}">Older</a>`
  }</p>`
}`,
  })
}

export async function draftListPage(
  workspace: Pick<Workspace, 'directory' | 'documents'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const drafts = await workspace.documents.details.list(caller, project.slug, 'drafts')
  return listPage(project, 'drafts', {
    title: 'Your drafts',
    isEmpty: drafts.length === 0,
    empty: html`<p>No drafts.</p>
<p>A draft is a post that only you can see until you publish it.</p>`,
    kind: 'draft',
    first: 'Start a draft',
    list: html`<ul class="rows">${drafts.map(draftRow)}</ul>`,
  })
}

interface ListContent {
  title: string
  isEmpty: boolean
  empty: Html
  kind: 'post' | 'draft' | 'document'
  first: string
  list: Html
}

export function listPage(
  project: Project,
  part: ProjectPart,
  { title, isEmpty, empty, kind, first, list }: ListContent,
): Page {
  const begin =
    project.archivedMs === null &&
    html`<a class="button small" href="${projectPagePath(project, 'new')}?kind=${kind}">${first}</a>`
  return {
    title: `${title} · ${project.name}`,
    content: html`${projectHeader(project, part)}
<div class="page-head"><h1>${title}</h1>${begin}</div>
<div id="list" data-live${project.archivedMs === null && html` data-movable`}>
${isEmpty ? html`<div class="empty">${empty}</div>` : list}
</div>`,
    follows: { events: [project.id], topics: [`project:${project.id}`] },
  }
}

export const postRow = ({
  id,
  title,
  page,
  author,
  publishedAt,
  lastActivityAt,
  commentCount: comments,
  isPinned,
}: DocumentDetails): Html =>
  html`<li id="${id}"><p class="main"><a href="${page}"><bdi>${title}</bdi></a>${
    isPinned && html` <span class="tag good">Pinned</span>`
  }<br>
<small><bdi>${author.name}</bdi> · ${dateTime(publishedAt)}${
    comments > 0 && html` · ${commentCount(comments)}, the last ${relativeTime(lastActivityAt)}`
  }</small></p></li>
`

const draftRow = ({ id, title, page, publishedAt, editedAt, scheduledFor }: DocumentDetails): Html =>
  html`<li id="${id}"><p class="main"><a href="${page}"><bdi>${title}</bdi></a><br>
<small>${
    editedAt === null ? html`created ${relativeTime(publishedAt)}` : html`edited ${relativeTime(editedAt)}`
  }${scheduledFor !== null && html` · scheduled for ${dateTime(scheduledFor)}`}</small></p></li>
`
