import { projectPagePath } from '../../../core/paths.ts'
import type { PullRequestReading } from '../../../core/pulls/pulls.ts'
import type { PullRequestList, PullRequestListItem } from '../../../core/pulls/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { dateTime } from '../dates.ts'
import { Html, html } from '../html.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { diffView } from './diff.ts'

const path = '/projects/:slug/pulls'

export const pullPages = (
  workspace: Pick<Workspace, 'code' | 'directory' | 'rendering'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: pull requests')
    .get(
      path,
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const isLinked = workspace.code.repositories.list(caller, project.slug).length > 0
        const listed = isLinked ? await workspace.code.pulls.list(caller, project.slug) : null
        return {
          title: `Pull requests · ${project.name}`,
          content: html`${projectHeader(project, 'pulls')}
<div class="page-head"><h1>Pull requests</h1></div>
<div id="pulls" data-live>
${listed && listed.refreshedAt !== null ? list(listed) : noForge(projectPagePath(project, 'repositories'))}
</div>`,
          follows: { topics: [`project:${project.id}`] },
        }
      }),
    )
    .purpose('Page: a pull request with its changes')
    .get(
      `${path}/:number`,
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const reading = await workspace.code.pulls.read(caller, project.slug, ctx.params.number!)
        const { pull } = reading
        const texts = await workspace.rendering.texts.html(caller, [
          { key: 'description', body: pull.description, projectId: project.id },
        ])
        return {
          title: `#${pull.number} ${pull.title} · ${project.name}`,
          content: html`${projectHeader(project, 'pulls')}
<p class="trail"><a href="${projectPagePath(project, 'pulls')}">Pull requests</a> /</p>
<div class="stack" id="pull" data-live>
<div><h1><span class="number">#${pull.number}</span> <bdi>${pull.title}</bdi></h1>
${about(reading)}</div>
${cardsOf(reading, (number) => projectPagePath(project, `board/${number}`))}
<section aria-labelledby="description"><h2 id="description">Description</h2>
${
  pull.description.trim() === ''
    ? html`<p class="hint">No description.</p>`
    : html`<div class="prose">${new Html(texts.get('description')!)}</div>`
}</section>
<section aria-labelledby="changes"><h2 id="changes">Changes</h2>
${diffView(reading)}</section>
</div>`,
          follows: { topics: [`project:${project.id}`] },
          isWide: true,
        }
      }),
    )

const noForge = (repositories: string): Html =>
  html`<div class="empty"><p>No forge linked.</p>
<p><a href="${repositories}">Link a repository</a> with a forge to see its pull requests here.</p></div>`

function list({ pulls, refreshedAt, stale, problem }: PullRequestList): Html {
  return html`${stale && staleNotice(refreshedAt!, problem)}
${pulls.length > 0 ? html`<ul class="rows">${pulls.map(row)}</ul>` : html`<div class="empty"><p>No pull requests.</p></div>`}`
}

const row = ({
  number,
  title,
  state,
  head,
  base,
  author,
  updatedAt,
  draft,
  url,
}: PullRequestListItem): Html =>
  html`<li id="pull-${number}"><p class="main"><a \
href="${new URL(url, 'http://workroom.invalid').pathname}">#${number} <bdi>${title}</bdi></a><br>
<small><bdi>${author}</bdi> · <bdi>${head}</bdi> → <bdi>${base}</bdi> · ${dateTime(updatedAt)}</small></p>${stateTag(state, draft)}</li>
`

function stateTag(state: PullRequestListItem['state'], isDraft: boolean): Html {
  if (state === 'open') return html`<span class="tag good">${isDraft ? 'draft' : 'open'}</span>`
  return html`<span class="tag">${state}</span>`
}

const staleNotice = (sinceMs: number, problem: string | null): Html =>
  html`<p class="notice warn">The forge cannot be reached. This is its state as of ${dateTime(sinceMs)}. ${problem}</p>`

function about({ pull, problem }: PullRequestReading): Html {
  const { state, isDraft, author, head, base, updatedMs, checkedMs, forgeUrl } = pull
  return html`${problem !== null && staleNotice(checkedMs, problem)}
<dl class="details">
<dt>State</dt><dd>${stateTag(state, isDraft === 1)}</dd>
<dt>Author</dt><dd><bdi>${author}</bdi></dd>
<dt>Branches</dt><dd><bdi>${head || '(gone)'}</bdi> → <bdi>${base}</bdi></dd>
<dt>Updated</dt><dd>${dateTime(updatedMs)}</dd>
${/^https?:/.test(forgeUrl) && html`<dt>View on forge</dt><dd><a href="${forgeUrl}" rel="noreferrer">${forgeUrl}</a></dd>`}
</dl>`
}

const cardsOf = ({ cards }: PullRequestReading, cardPath: (number: number) => string): Html | false =>
  cards !== null &&
  cards.length > 0 &&
  html`<section aria-labelledby="cards"><h2 id="cards">Cards</h2>
<ul class="card-links">
${cards.map(
  ({ number, title }) =>
    html`<li><a href="${cardPath(number)}"><span class="card-number">${number}</span> <bdi>${title}</bdi></a></li>
`,
)}</ul></section>`
