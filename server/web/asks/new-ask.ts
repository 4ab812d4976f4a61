import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'
import { peopleFields } from './member-checkboxes.ts'

export function newAskForm(workspace: Workspace, caller: Caller, project: Project): Html {
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
