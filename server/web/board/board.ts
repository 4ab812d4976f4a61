import type { Caller } from '../../../core/access/member.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import { columnTreePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { cardElement, picturesByName } from './card-element.ts'
import { type BoardColumn, boardColumns, columnHeader, firstCard } from './columns.ts'

export async function boardPage(workspace: Workspace, ctx: RouteContext, caller: Caller): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const cards = await workspace.documents.board.cards(caller, project.slug)
  const isOpen = project.archivedMs === null
  const context = {
    nowMs: workspace.clock.now(),
    isOpen,
    pictures: picturesByName(workspace.directory.members.active()),
  }
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
    isWide: true,
    content: html`${projectHeader(project, 'board')}
<div class="page-head"><h1>Board</h1>
${filter(ctx, cards)}</div>
${isOpen && help}
<p class="unseen" id="board-announcement" aria-live="assertive" data-keep></p>
<div class="board" id="board" data-live data-module="board"${isOpen && html` data-movable`}>
${boardColumns(cards, ctx.query.done === 'all').map(section)}</div>
${firstCard(project, cards)}`,
    follows: { topics: [`board:${project.id}`] },
  }
}

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
