import type { Project } from '../../../core/access/project.ts'
import { columns, doneColumn } from '../../../core/documents/model/columns.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import { type Html, html } from '../html.ts'

/** The last done cards, which are shown at first. */
const maxDone = 50

export interface BoardColumn {
  name: (typeof columns)[number]['name']
  title: string
  count: number
  shown: readonly BoardCard[]
}

/** @param isAllDone whether all done cards are shown */
export function boardColumns(cards: readonly BoardCard[], isAllDone: boolean): BoardColumn[] {
  return columns.map(({ name, title }) => {
    const all = cards.filter((card) => card.column === name)
    const isCut = name === doneColumn && !isAllDone
    return { name, title, count: all.length, shown: isCut ? all.slice(-maxDone) : all }
  })
}

export function columnHeader(project: Project, { name, title, count, shown }: BoardColumn): Html {
  const older = count - shown.length
  return html`<header id="head-${name}"><h2 id="title-${name}">${title} <span class="count soft" data-all="${count}">${count}</span></h2>
${
  project.archivedMs === null &&
  html`<a class="add" href="${projectPagePath(project, 'new')}?kind=card&amp;column=${name}" aria-label="New card in ${title}">New card</a>`
}
${older > 0 && html`<p class="hint"><a href="?done=all">Show ${older} older</a></p>`}</header>`
}

export function firstCard(project: Project, cards: readonly BoardCard[]): Html {
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
