import type { Member } from '../../../core/access/member.ts'
import { doneColumn } from '../../../core/documents/model/columns.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import { namedPicture } from '../avatar.ts'
import { initialsOf } from '../documents/present-members.ts'
import { type Html, html } from '../html.ts'
import { dueDate } from './due.ts'

const maxAvatars = 4

interface CardElementContext {
  nowMs: number
  isOpen: boolean
  /** By the name of a member. */
  pictures: ReadonlyMap<string, Html>
}

/** Maps names of members to pictures. Shared names are left out, since cards contain only names. */
export function picturesByName(members: readonly Member[]): ReadonlyMap<string, Html> {
  const names = new Set<string>()
  const shared = new Set(
    members.map(({ name }) => name).filter((name) => names.size === names.add(name).size),
  )
  const pictured = members.filter(({ name, avatarUrl }) => avatarUrl !== '' && !shared.has(name))
  return new Map(pictured.map((member) => [member.name, namedPicture(member)]))
}

/**
 * Few elements without whitespace between them: a board can have 1,000 cards, and browsers keep each node.
 * None is positioned or clipped but the card, its handle and its link, since each such element is painted as a
 * layer of its own.
 */
export function cardElement(card: BoardCard, { nowMs, isOpen, pictures }: CardElementContext): Html {
  const { id, number, title, labels, assignees, isQuestion, path, page } = card
  const details = factsOf(card, nowMs)
  return html`<li class="card" id="card-${id}" data-number="${number}" data-path="${path}"${
    assignees.length > 0 && html` data-people="${JSON.stringify(assignees)}"`
  }${labels.length > 0 && html` data-labels="${JSON.stringify(labels)}"`}>\
<p class="card-head"><span class="card-number">${number}</span>${isQuestion && html` <span class="tag">Question</span>`}${
    isOpen &&
    html`<button class="handle" id="move-${id}" type="button" aria-label="Move card ${number}" \
aria-describedby="board-help"></button>`
  }</p><p class="card-title"><a href="${page}" id="open-${id}" draggable="false"${
    isOpen && html` aria-describedby="board-help"`
  }><bdi>${title}</bdi></a></p>${
    details.length + assignees.length > 0 &&
    html`<div class="card-foot">${details}${assignees.length > 0 && faces(assignees, pictures)}</div>`
  }</li>`
}

function factsOf({ priority, labels, blockedBy, due, status, column }: BoardCard, nowMs: number): Html[] {
  const isOver = status === 'closed' || column === doneColumn
  const blockers = blockedBy.filter(({ isClosed }) => !isClosed)
  const details = [
    priority !== 'none' && priorityTag(priority),
    status === 'drafted' && html`<span class="tag">Draft</span>`,
    status === 'closed' && column !== doneColumn && html`<span class="tag good">Closed</span>`,
    blockers.length > 0 &&
      !isOver &&
      html`<span class="tag warn" title="Blocked by ${blockers.map(nameOf).join(', ')}">Blocked</span>`,
    due !== null && dueDate(due, isOver ? null : nowMs),
    ...labels.map((label) => html`<bdi class="tag">${label}</bdi>`),
  ]
  return details.filter((fact) => fact !== false)
}

const nameOf = ({ number, title }: { number: number; title: string }) => `${number} ${title}`

const statusColors: Record<string, string> = { urgent: ' danger', high: ' warn' }

const priorityTag = (priority: string): Html =>
  html`<span class="tag${statusColors[priority]}" role="img" aria-label="Priority: ${priority}">${priority}</span>`

const faces = (names: readonly string[], pictures: CardElementContext['pictures']): Html =>
  html`<ul class="faces" aria-label="Assigned to">${names
    .slice(0, maxAvatars)
    .map(
      (name) =>
        html`<li title="${name}">${pictures.get(name) ?? html`<span role="img" aria-label="${name}">${initialsOf(name)}</span>`}</li>`,
    )}${names.length > maxAvatars && html`<li title="${names.slice(maxAvatars).join(', ')}">+${names.length - maxAvatars}</li>`}</ul>`
