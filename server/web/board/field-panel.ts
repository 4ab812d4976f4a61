import type { Project } from '../../../core/access/project.ts'
import { columns } from '../../../core/documents/model/columns.ts'
import type { BoardCard, CardLink } from '../../../core/documents/model/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'
import { dueDate } from './due.ts'

const statuses = { drafted: 'Draft', active: 'Active', closed: 'Closed' }
const priorities = {
  none: 'None',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  urgent: 'Urgent',
}

/** Beyond this, blockers are not suggested and their numbers must be typed. */
const maxSuggestions = 300

export function fieldPanel(
  workspace: Pick<Workspace, 'clock' | 'directory'>,
  card: BoardCard,
  { project, cards, mayEdit }: { project: Project; cards: readonly BoardCard[]; mayEdit: boolean },
): Html {
  const people = workspace.directory.projects
    .members(project)
    .map(({ memberId }) => workspace.directory.members.find(memberId)!)
    .filter(({ name, status }) => status === 'active' && !card.assignees.includes(name))
    .map(({ name }) => name)
  const labels = [...new Set(cards.flatMap((other) => other.labels))].filter(
    (label) => !card.labels.includes(label),
  )
  const others = cards.filter(
    ({ number, status }) =>
      status !== 'closed' &&
      number !== card.number &&
      !card.blockedBy.some((blocker) => blocker.number === number),
  )
  return html`<section class="card-fields" id="card-fields" aria-label="Fields" data-live data-path="${card.path}">
<fieldset${!mayEdit && html` disabled`}>
<p class="field"><label for="card-column">Column</label>
<select id="card-column" autocomplete="off" data-move>${columns.map(({ name, title }) => option(name, title, card.column))}</select></p>
<p class="field"><label for="card-status">Status</label>
<select id="card-status" data-field="status" autocomplete="off">${optionsOf(statuses, card.status)}</select></p>
<p class="field"><label for="card-priority">Priority</label>
<select id="card-priority" data-field="priority" autocomplete="off">${optionsOf(priorities, card.priority)}</select></p>
<div class="field"><label for="card-assignees">Assignees</label>
${chips(card.assignees, 'assignees', mayEdit)}
${
  mayEdit &&
  html`<select id="card-assignees" data-add="assignees" autocomplete="off"><option \
value="">Add an assignee</option>${people.map((name) => option(name, name, null))}</select>`
}</div>
<div class="field"><label for="card-labels">Labels</label>
${chips(card.labels, 'labels', mayEdit)}
${
  mayEdit &&
  html`<input id="card-labels" data-add="labels" list="known-labels" placeholder="Add a label" autocomplete="off" enterkeyhint="done">
<datalist id="known-labels">${labels.map((label) => option(label, label, null))}</datalist>`
}</div>
<p class="field"><label for="card-due">Due</label>
<input id="card-due" type="date" autocomplete="off" data-field="due" value="${card.due?.slice(0, 10)}">
${card.due !== null && card.status !== 'closed' && dueDate(card.due, workspace.clock.now())}</p>
<div class="field"><label for="card-blockers">Blocked by</label>
${cardLinks(card.blockedBy, mayEdit)}
${
  mayEdit &&
  html`<input id="card-blockers" data-add="blocked-by" list="other-cards" placeholder="Card number" autocomplete="off" enterkeyhint="done">
<datalist id="other-cards">${others.slice(0, maxSuggestions).map(({ number, title }) => option(`${number} ${title}`, '', null))}</datalist>`
}</div>
</fieldset>
</section>`
}

/** @param mayEdit adds a button that removes each link */
export const cardLinks = (cards: readonly CardLink[], mayEdit = false): Html | false =>
  cards.length > 0 &&
  html`<ul class="card-links">
${cards.map(
  ({
    number,
    title,
    isClosed,
    page,
  }) => html`<li${isClosed && html` class="closed"`}><a href="${page}"><span \
class="card-number">${number}</span> <bdi>${title}</bdi></a>${isClosed && html` <small>done</small>`}
${mayEdit && removeButton('blocked-by', number, `card ${number}`)}</li>
`,
)}</ul>`

const chips = (values: readonly string[], list: string, mayEdit: boolean): Html | false =>
  values.length > 0 &&
  html`<ul class="chips">
${values.map((value) => html`<li class="tag"><bdi>${value}</bdi>${mayEdit && removeButton(list, value, value)}</li>`)}</ul>`

const removeButton = (list: string, value: string | number, name: string): Html =>
  html`<button class="remove" type="button" data-remove="${list}" data-value="${value}" aria-label="Remove ${name}">×</button>`

const optionsOf = (words: Readonly<Record<string, string>>, chosen: string): Html[] =>
  Object.entries(words).map(([value, title]) => option(value, title, chosen))

const option = (value: string, words: string, chosen: string | null): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`
