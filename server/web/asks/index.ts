import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { AskView } from '../../../core/asks/types.ts'
import { memberPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { relativeTime } from '../dates.ts'
import { type Html, html, Html as Trusted } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { type AskContext, askActions } from './ask-actions.ts'
import { peopleFields } from './member-checkboxes.ts'

export const askPageRoutes = (
  workspace: Pick<Workspace, 'asks' | 'directory' | 'inbox' | 'rendering' | 'rooms'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: a project’s asks')
    .get(
      '/projects/:slug/asks',
      page((ctx, { caller }) => asksPage(workspace, ctx, caller)),
    )

/** Closed asks shown. `?over=all` shows as many as a list can hold. */
const recentClosedShown = 20
const maxClosedShown = 100

async function asksPage(
  workspace: Pick<Workspace, 'asks' | 'directory' | 'inbox' | 'rendering' | 'rooms'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const {
    asks: { asks },
  } = workspace
  const inState = (state: 'open' | 'claimed' | 'resolved' | 'cancelled', limit = maxClosedShown) =>
    asks.list(caller, { project: project.slug, state, limit })
  const closedLimit = ctx.query.over === 'all' ? maxClosedShown : recentClosedShown
  const [open, claimed, resolved, cancelled] = [
    inState('open'),
    inState('claimed'),
    inState('resolved', closedLimit),
    inState('cancelled', closedLimit),
  ]
  const closed = [...resolved.asks, ...cancelled.asks].sort((one, other) => other.updatedAt - one.updatedAt)
  const hasMore = (resolved.nextCursor ?? cancelled.nextCursor) !== null
  const resolvers = new Map(
    workspace.asks.pages.recentlyResolved(project).map(({ id, resolvedBy }) => [id, resolvedBy ?? '']),
  )
  const reader = { workspace, caller, project, resolvers }
  const shownIds = [...open.asks, ...claimed.asks, ...closed].map(({ _id }) => _id)
  const unread = workspace.inbox.records.inPlaces(caller, shownIds)
  return {
    title: `Asks · ${project.name}`,
    kind: 'asks',
    content: html`${projectHeader(project, 'asks')}
<div class="page-head"><h1>Asks</h1></div>
${project.archivedMs === null && newAskForm(workspace, caller, project)}
<div id="asks" data-live data-unread="${unread.join(' ')}">
${await askList(reader, 'Open', open.asks)}
${open.asks.length === 0 && nothingOpen}
${claimed.asks.length > 0 && (await askList(reader, 'Claimed', claimed.asks))}
${closed.length > 0 && (await askList(reader, 'Closed', closed))}
${hasMore && closedLimit < maxClosedShown && html`<p><a href="?over=all">Show more closed asks</a></p>`}
</div>`,
    follows: { events: [project.id], topics: [`project:${project.id}`] },
  }
}

const nothingOpen = html`<div class="empty"><p>No open asks.</p>
<p>Request work that someone can claim, or ask a question with two to four options.</p></div>`

async function askList(reader: AskContext, title: string, asks: readonly AskView[]): Promise<Html> {
  const sources = asks.flatMap(({ _id, title, body, resolution, projectId }) => [
    { key: `title ${_id}`, body: title, projectId },
    ...(body === '' ? [] : [{ key: `body ${_id}`, body, projectId }]),
    ...(resolution === null ? [] : [{ key: `resolution ${_id}`, body: resolution, projectId }]),
  ])
  const texts = await reader.workspace.rendering.texts.html(reader.caller, sources)
  const render = (key: string) => new Trusted(texts.get(key) ?? '')
  const id = `asks-${title.toLowerCase()}`
  return html`<section class="asks" aria-labelledby="${id}">
<h2 id="${id}">${title} ${asks.length > 0 && html`<span class="count soft">${asks.length}</span>`}</h2>
${asks.map((ask) => askItem(reader, ask, render))}
</section>`
}

function askItem(reader: AskContext, ask: AskView, render: (key: string) => Html): Html {
  const { _id: id, body, resolution, chosenOption } = ask
  return html`<article class="ask ${ask.state}" id="${id}" aria-labelledby="title-${id}">
<h3 class="said" id="title-${id}">${render(`title ${id}`)}</h3>
<p class="byline">${bylineOf(reader, ask)}</p>
${body !== '' && html`<div class="said prose">${render(`body ${id}`)}</div>`}
${chosenOption !== null && html`<p class="answered"><bdi>${chosenOption}</bdi></p>`}
${resolution !== null && html`<div class="said prose resolution">${render(`resolution ${id}`)}</div>`}
${askActions(reader, ask)}
</article>
`
}

const states: Record<AskView['state'], Html | false> = {
  open: false,
  claimed: html`<span class="tag warn">Claimed</span> `,
  resolved: html`<span class="tag good">Resolved</span> `,
  cancelled: html`<span class="tag">Cancelled</span> `,
}

function bylineOf({ workspace, resolvers }: AskContext, ask: AskView): Html {
  const { _id: id, state, kind, createdBy, createdAt, assignees, claimedBy, updatedAt } = ask
  const person = (id: string) =>
    html`<a href="${memberPagePath(id)}"><bdi>${workspace.directory.members.find(id)?.name}</bdi></a>`
  return html`${states[state]}${kind === 'question' ? 'A question by' : 'Asked by'} ${person(createdBy)} ${relativeTime(createdAt)}${
    assignees.length > 0 && html` · for ${assignees.map((id, at) => html`${at > 0 && ', '}${person(id)}`)}`
  }${state === 'claimed' && html` · claimed by ${person(claimedBy!)}`}${
    (state === 'resolved' || state === 'cancelled') &&
    html` · ${state}${state === 'resolved' && resolvers.has(id) && html` by <bdi>${resolvers.get(id)}</bdi>`} ${relativeTime(updatedAt)}`
  }`
}

function newAskForm(
  workspace: Pick<Workspace, 'directory' | 'rooms'>,
  caller: Caller,
  project: Project,
): Html {
  const rooms = workspace.rooms.rooms
    .list(caller, { all: false })
    .filter(({ projectId, type }) => type !== 'direct' && (projectId === null || projectId === project.id))
  return html`<details class="new-ask sheet" id="new-ask">
<summary>New ask</summary>
<form method="dialog" data-call="POST /api/asks" data-reset data-say="Ask created.">
<input type="hidden" name="project" value="${project.id}">
<p class="field"><label for="ask-title">Title</label>
<input id="ask-title" name="title" maxlength="200" required autocomplete="off"></p>
<p class="field"><label for="ask-body">Details <small>(optional)</small></label>
<textarea id="ask-body" name="body" data-mentions rows="3" placeholder="Markdown. Type @ to mention someone."></textarea></p>
<fieldset class="kinds">
<legend>Type</legend>
<label><input type="radio" name="kind" value="work" checked> <span>Work: someone claims it and does it</span></label>
<label><input type="radio" name="kind" value="question"> <span>Question: a person chooses an answer</span></label>
</fieldset>
<p class="field options-field"><label for="ask-options">Options</label>
<textarea id="ask-options" name="options" data-as="lines" rows="3" aria-describedby="options-hint"></textarea>
<span class="hint" id="options-hint">Two to four, one per line.</span></p>
${peopleFields(workspace, project, { id: 'ask-people', legend: 'For', chosen: [] })}
<p class="hint">Leave empty so that anyone can claim it.</p>
${
  rooms.length > 0 &&
  html`<p class="field"><label for="ask-room">Announce in a room <small>(optional)</small></label>
<select id="ask-room" name="roomId"><option value="">None</option>${rooms.map(
    ({ _id, name }) => html`<option value="${_id}">${name}</option>`,
  )}</select></p>`
}
<p class="buttons"><button>Create ask</button></p>
</form>
</details>`
}
