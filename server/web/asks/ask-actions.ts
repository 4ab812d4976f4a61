import type { Caller } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import type { AskView } from '../../../core/asks/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'
import { peopleFields } from './member-checkboxes.ts'

export interface AskContext {
  workspace: Pick<Workspace, 'directory' | 'rendering'>
  caller: Caller
  project: Project
  /** Names of those who resolved asks, by ask id, as far as known. */
  resolvers: ReadonlyMap<string, string>
}

/** The actions that the reader may take. Core refuses others anyway. */
export function askActions(reader: AskContext, ask: AskView): Html | false {
  const { _id: id, kind, state, claimedBy } = ask
  if (state === 'resolved' || state === 'cancelled' || reader.project.archivedMs !== null) return false
  const { member } = reader.caller
  const isHolder = claimedBy === member.id
  // The id contains the state: after a change, the form and what was typed into it are replaced.
  return html`<div class="ask-steps" id="steps-${id}-${state}-${claimedBy}">
${kind === 'question' ? answerActions(ask, member.type) : workActions(ask, { isHolder, isAdmin: isAdmin(member) })}
<div class="buttons">
${(state === 'open' || isHolder) && assigneesForm(reader, ask)}
${
  (ask.createdBy === member.id || isAdmin(member)) &&
  html`<button class="quiet" data-call="POST /api/asks/${id}/cancel" \
data-confirm="Cancel this ask? It stays in the list as cancelled." data-confirm-button="Cancel ask">Cancel ask</button>`
}
</div>
</div>`
}

function answerActions({ _id: id, options }: AskView, reader: 'human' | 'agent'): Html {
  if (reader === 'agent') return html`<p class="hint">A person answers this.</p>`
  const call = `POST /api/asks/${id}/resolve`
  return html`<div class="buttons options" role="group" aria-label="Answer">
${options.map(
  (option) =>
    html`<button class="second" data-call="${call}" data-json="${JSON.stringify({ chosenOption: option })}" data-say="Answered." \
data-confirm="Answer “${bidiIsolate(option)}”? Answers cannot be changed." data-confirm-button="Answer"><bdi>${option}</bdi></button>
`,
)}</div>
<details class="more-steps">
<summary>Answer with a comment</summary>
<form method="dialog" data-call="${call}" data-say="Answered.">
<p class="field"><label for="option-${id}">Answer</label>
<select id="option-${id}" name="chosenOption">${options.map((option) => html`<option>${option}</option>`)}</select></p>
<p class="field"><label for="remark-${id}">Comment</label>
<textarea id="remark-${id}" name="resolution" data-mentions rows="2"></textarea></p>
<button class="small">Answer</button>
</form>
</details>`
}

function workActions(
  { _id: id, state }: AskView,
  { isHolder, isAdmin }: { isHolder: boolean; isAdmin: boolean },
): Html | false {
  if (state === 'open')
    return html`<p class="buttons"><button class="small" data-call="POST /api/asks/${id}/claim" data-say="Claimed.">Claim</button></p>`
  if (!isHolder && !isAdmin) return false
  const form = html`<form method="dialog" class="resolve" data-call="POST /api/asks/${id}/resolve" data-say="Resolved." data-keep>
<p class="field"><label for="resolution-${id}">Result</label>
<textarea id="resolution-${id}" name="resolution" data-mentions rows="2"></textarea></p>
<p class="buttons"><button class="small">Resolve</button>
<button class="small second" type="button" data-call="POST /api/asks/${id}/release" data-say="Released.">Release</button></p>
</form>`
  return isHolder
    ? form
    : html`<details class="more-steps"><summary>Resolve or release</summary>${form}</details>`
}

const assigneesForm = ({ workspace, project }: AskContext, { _id: id, assignees }: AskView): Html =>
  html`<details class="more-steps">
<summary>Assignees</summary>
<form method="dialog" data-call="PUT /api/asks/${id}/assignees" data-say="Saved.">
${peopleFields(workspace, project, { id: `people-${id}`, legend: 'For', chosen: assignees })}
<button class="small">Save</button>
</form>
</details>`
