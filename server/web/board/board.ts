import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { columns, doneColumn } from '../../../core/documents/model/columns.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import { columnTreePath, projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import { changesSince, wholePage } from '../page-changes.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { cardElement, picturesByName } from './card-element.ts'

export async function boardPage(
  workspace: Pick<Workspace, 'clock' | 'directory' | 'documents'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const cards = await workspace.documents.board.cards(caller, project.slug)
  const context = contextOf(workspace, project)
  const { isOpen } = context
  const section = (column: BoardColumn): Html => {
    const { name, title, shown } = column
    return html`<section class="column" id="column-${name}" aria-labelledby="title-${name}">
${columnHeader(project, column)}
<ol class="cards" data-column="${name}" data-title="${title}" aria-label="${title}">
${shown.map((card) => cardElement(card, context))}</ol>
${isOpen && quickCard(`${columnTreePath(project, name)}`, name, title)}
</section>
`
  }
  return {
    title: `Board · ${project.name}`,
    kind: 'board',
    isWide: true,
    content: html`${projectHeader(project, 'board')}
<div class="page-head"><h1>Board</h1>
${filter(ctx, cards)}</div>
${isOpen && help}
<p class="unseen" id="board-announcement" aria-live="assertive" data-keep></p>
<div class="board" id="board" data-live${isOpen && html` data-movable`}>
${boardColumns(cards, ctx.query.done === 'all').map(section)}</div>
${firstCard(project, cards)}`,
    follows: { topics: [`board:${project.id}`] },
  }
}

/**
 * Changes for `server/client/board/changes.ts`.
 * @throws WorkspaceError `bad_request` for `?since=`; as `requireProject`
 */
export async function boardChanges(
  workspace: Pick<Workspace, 'clock' | 'directory' | 'documents' | 'events'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Html> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const { sequence } = workspace.events.changeTopics
  const changes = await workspace.documents.board.changes(caller, project.slug, changesSince(ctx))
  if (!changes) return wholePage
  const { cards, changedIds, removedIds } = changes
  const context = contextOf(workspace, project)
  const { isOpen } = context
  const changesOf = (column: BoardColumn): Html => {
    const { name, shown, count } = column
    const isCut = count > shown.length
    const added = isCut ? moved(changedIds, shown) + removedIds.length : 0
    return html`<ol data-column="${name}" data-count="${shown.length}"${isCut && html` data-first="card-${shown[0]!.id}"`}>
${shown.map((card, index) => {
  if (!changedIds.has(card.id) && index >= added) return false
  return html`<div data-after="${index > 0 && `card-${shown[index - 1]!.id}`}">${cardElement(card, context)}</div>`
})}</ol>`
  }
  const shown = boardColumns(cards, ctx.query.done === 'all')
  return html`${firstCard(project, cards)}
${shown.map((column) => columnHeader(project, column))}
<div id="changes" data-sequence="${sequence}" data-removed="${removedIds.map((id) => `card-${id}`).join(' ')}"${
    isOpen && html` data-movable`
  }>
${shown.map(changesOf)}</div>`
}

const contextOf = ({ clock, directory }: Pick<Workspace, 'clock' | 'directory'>, project: Project) => ({
  nowMs: clock.now(),
  isOpen: project.archivedMs === null,
  pictures: picturesByName(directory.members.active()),
})

/** The page's script shows it and creates a card per line. */
const quickCard = (folder: string, name: string, title: string): Html =>
  html`<form method="dialog" class="quick-card" id="quick-${name}" data-folder="${folder}" data-keep hidden>
<label class="unseen" for="quick-title-${name}">Add a card to ${title}</label>
<input id="quick-title-${name}" maxlength="200" placeholder="Add a card" autocomplete="off" enterkeyhint="done">
</form>`

const help = html`<p class="unseen" id="board-help">To move a card, press Space on it, move it with the arrow keys, and press \
Space to drop it or Escape to put it back.</p>`

/** The page's script shows it and filters. */
function filter(ctx: RouteContext, cards: readonly BoardCard[]): Html {
  const options = (values: string[], chosen: string | undefined) =>
    [...new Set(chosen === undefined || chosen === '' ? values : [...values, chosen])]
      .sort((one, other) => one.localeCompare(other))
      .map((value) => html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`)
  const assignee = queryText(ctx, 'assignee')
  return html`<form method="dialog" class="board-filter" id="board-filter" role="search" aria-label="Cards" hidden data-keep>
<label class="unseen" for="filter-text">Filter cards</label>
<input id="filter-text" name="q" type="search" value="${queryText(ctx, 'q')}" placeholder="Filter" autocomplete="off">
<label class="unseen" for="filter-assignee">Assigned to</label>
<select id="filter-assignee" name="assignee"><option value="">Anyone</option><option value="-"${
    assignee === '-' && html` selected`
  }>Unassigned</option>
${options(
  cards.flatMap(({ assignees }) => assignees),
  assignee === '-' ? undefined : assignee,
)}</select>
<label class="unseen" for="filter-label">Label</label>
<select id="filter-label" name="label"><option value="">Any label</option>
${options(
  cards.flatMap(({ labels }) => labels),
  queryText(ctx, 'label'),
)}</select>
</form>`
}

/** How many changed cards may have left a column that is cut: as many older cards take their place. */
const moved = (changedIds: ReadonlySet<string>, shown: readonly BoardCard[]): number =>
  [...changedIds].filter((id) => !shown.some((card) => card.id === id)).length

/** The last done cards, which are shown at first. */
const maxDone = 50

interface BoardColumn {
  name: (typeof columns)[number]['name']
  title: string
  count: number
  shown: readonly BoardCard[]
}

/** @param isAllDone whether all done cards are shown */
function boardColumns(cards: readonly BoardCard[], isAllDone: boolean): BoardColumn[] {
  return columns.map(({ name, title }) => {
    const all = cards.filter((card) => card.column === name)
    const isCut = name === doneColumn && !isAllDone
    return { name, title, count: all.length, shown: isCut ? all.slice(-maxDone) : all }
  })
}

function columnHeader(project: Project, { name, title, count, shown }: BoardColumn): Html {
  const older = count - shown.length
  return html`<header id="head-${name}"><h2 id="title-${name}">${title} <span class="count soft" data-all="${count}">${count}</span></h2>
${
  project.archivedMs === null &&
  html`<a class="add" href="${projectPagePath(project, 'new')}?kind=card&amp;column=${name}" aria-label="New card in ${title}">New card</a>`
}
${older > 0 && html`<p class="hint"><a href="?done=all">Show ${older} older</a></p>`}</header>`
}

function firstCard(project: Project, cards: readonly BoardCard[]): Html {
  return html`<div id="first-card" data-live>${
    cards.length === 0 &&
    html`<div class="empty"><p>No cards yet.</p>
<p>A card is a task, or a question that blocks one. Cards move from left to right until they are done.</p>
${
  project.archivedMs === null &&
  html`<p><a class="button" href="${projectPagePath(project, 'new')}?kind=card&amp;column=01-triage">Create the first card</a></p>`
}
</div>`
  }</div>`
}
