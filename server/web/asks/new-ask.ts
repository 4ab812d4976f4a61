import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'
import { peopleFields } from './member-checkboxes.ts'

/** Raises an ask: work, or a question with options, which are asked for where it is one. */
export function newAskForm(workspace: Workspace, caller: Caller, project: Project): Html {
  const rooms = workspace.rooms.rooms
    .list(caller, { all: false })
    .filter(({ projectId, type }) => type !== 'direct' && (projectId === null || projectId === project.id))
  return html`<details class="new-ask sheet" id="new-ask">
<summary>New ask</summary>
<form method="dialog" data-call="POST /api/asks" data-reset data-say="Asked.">
<input type="hidden" name="project" value="${project.id}">
<p class="field"><label for="ask-title">What is it about?</label>
<input id="ask-title" name="title" maxlength="200" required autocomplete="off"></p>
<p class="field"><label for="ask-body">Details <small>(optional)</small></label>
<textarea id="ask-body" name="body" data-mentions rows="3" placeholder="Markdown, and @ for people"></textarea></p>
<fieldset class="kinds">
<legend>It waits for</legend>
<label><input type="radio" name="kind" value="work" checked> <span>work, which somebody claims and does</span></label>
<label><input type="radio" name="kind" value="question"> <span>an answer, which a person chooses</span></label>
</fieldset>
<p class="field options-field"><label for="ask-options">Answers to choose from</label>
<textarea id="ask-options" name="options" data-as="lines" rows="3" aria-describedby="options-hint"></textarea>
<span class="hint" id="options-hint">Two to four, one a line.</span></p>
${peopleFields(workspace, project, { id: 'ask-people', legend: 'For', chosen: [] })}
<p class="hint">Choose nobody, and it is for whoever takes it.</p>
${
  rooms.length > 0 &&
  html`<p class="field"><label for="ask-room">Tell a room <small>(optional)</small></label>
<select id="ask-room" name="roomId"><option value="">None</option>${rooms.map(({ _id, name }) => html`<option value="${_id}">${name}</option>`)}</select></p>`
}
<p class="buttons"><button>Ask</button></p>
</form>
</details>`
}
