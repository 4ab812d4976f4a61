import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { columns, doneColumn } from '../../../core/documents/model/columns.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import { columnTreePath, projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { cardTile } from './card-tile.ts'

/** So many of the cards that are done are shown, the last of their column. */
const maxDone = 50

export async function boardPage(workspace: Workspace, ctx: RouteContext, caller: Caller): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const cards = await workspace.documents.board.cards(caller, project.slug)
  const isOpen = project.archivedMs === null
  const nowMs = workspace.clock.now()
  const column = ({ name, title }: (typeof columns)[number]): Html => {
    const all = cards.filter((card) => card.column === name)
    const isCut = name === doneColumn && all.length > maxDone && ctx.query.done !== 'all'
    const shown = isCut ? all.slice(-maxDone) : all
    return html`<section class="column" id="column-${name}" aria-labelledby="title-${name}">
<header><h2 id="title-${name}">${title} <span class="count soft" data-all="${all.length}">${all.length}</span></h2>
${isOpen && html`<a class="add" href="${projectPagePath(project, 'new')}?kind=card&amp;column=${name}" aria-label="New card in ${title}">New card</a>`}</header>
${isCut && html`<p class="hint"><a href="?done=all">Show ${all.length - maxDone} older</a></p>`}
<ol class="cards" data-column="${name}" data-title="${title}" aria-label="${title}">
${shown.map((card) => cardTile(card, { nowMs, isOpen }))}</ol>
${isOpen && quickCard(`${columnTreePath(project, name)}`, name, title)}
</section>
`
  }
  return {
    title: `Board · ${project.name}`,
    isWide: true,
    content: html`${projectHeader(project, 'board')}
<div class="page-head"><h1>Board</h1>
${filter(ctx, cards)}</div>
${isOpen && help}
<p class="unseen" id="board-news" aria-live="assertive" data-keep></p>
<div class="board" id="board" data-live data-module="board"${isOpen && html` data-movable`}>
${columns.map(column)}</div>
${cards.length === 0 && firstCard(project)}`,
    follows: { events: [project.id], touches: [`project:${project.id}`] },
  }
}

/** Shown by the script, which makes a card of each line. */
const quickCard = (folder: string, name: string, title: string): Html =>
  html`<form method="dialog" class="quick-card" id="quick-${name}" data-folder="${folder}" data-keep hidden>
<label class="unseen" for="quick-title-${name}">Add a card to ${title}</label>
<input id="quick-title-${name}" maxlength="200" placeholder="Add a card" autocomplete="off" enterkeyhint="done">
</form>`

const help = html`<p class="unseen" id="board-help">To move a card, press Space on it, move it with the arrow keys, and press Space to drop it or Escape to put it back.</p>`

const firstCard = (project: Project): Html => html`<div class="empty" id="first-card" data-live>
<p>No cards yet.</p>
<p>A card is a piece of work, or a question that blocks one. It moves from left to right until it is done.</p>
${project.archivedMs === null && html`<p><a class="button" href="${projectPagePath(project, 'new')}?kind=card&amp;column=01-triage">Create the first card</a></p>`}
</div>`

/** Shown by the script, which does it. */
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
<select id="filter-assignee" name="assignee"><option value="">Anyone</option><option value="-"${assignee === '-' && html` selected`}>Unassigned</option>
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
