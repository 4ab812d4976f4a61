import { columns } from '../../../core/documents/model/columns.ts'
import { type Html, html } from '../html.ts'

const priorities = ['none', 'low', 'medium', 'high', 'urgent']

/** @param column of a new card; null for an existing one, which is moved on its page */
export const cardFields = (members: readonly { name: string }[], column: string | null): Html =>
  html`<details class="editor-fields" data-fields${column !== null && html` open`}>
<summary>Fields</summary>
<div class="editor-grid">
${
  column !== null &&
  html`<p class="field"><label for="column">Column</label>
<select id="column" name="column">${columns.map(({ name, title }) => option(name, title, name === column))}</select></p>`
}
<p class="field"><label for="field-priority">Priority</label>
<select id="field-priority" data-field="priority" \
data-none="none">${priorities.map((one) => option(one, one[0]!.toUpperCase() + one.slice(1), false))}</select></p>
<p class="field"><label for="field-due">Due</label>
<input id="field-due" type="date" data-field="due"></p>
<p class="field"><label for="field-labels">Labels</label>
<input id="field-labels" data-field="labels" data-as="words" autocomplete="off" placeholder="design, harbour"></p>
<p class="field"><label for="field-blocked-by">Blocked by</label>
<input id="field-blocked-by" data-field="blocked-by" data-as="numbers" inputmode="numeric" autocomplete="off" placeholder="12, 14"></p>
<fieldset class="field editor-people" data-field="assignees" data-as="checked">
<legend>Assignees</legend>
${members.map(({ name }) => html`<label><input type="checkbox" value="${name}"><bdi>${name}</bdi></label>`)}
</fieldset>
<p class="field"><label><input type="checkbox" data-field="kind" data-as="flag" value="question"> This is a question</label></p>
</div>
</details>`

export const draftFields: Html = html`<details class="editor-fields" data-fields>
<summary>Schedule</summary>
<p class="field"><label for="field-scheduled">Publish at</label>
<input id="field-scheduled" type="datetime-local" data-field="scheduledFor" data-as="moment" aria-describedby="scheduled-hint"></p>
<p class="hint" id="scheduled-hint">The saved draft is published at this time. Leave empty to publish it yourself.</p>
</details>`

/** @param folders existing folders, as suggestions */
export const folderField = (folders: readonly string[], folder: string): Html =>
  html`<p class="field"><label for="folder">Folder</label>
<input id="folder" name="folder" list="folders" value="${folder}" maxlength="400" autocomplete="off" placeholder="Top level">
<datalist id="folders">${folders.map((one) => html`<option value="${one}"></option>`)}</datalist></p>`

const option = (value: string, words: string, isChosen: boolean): Html =>
  html`<option value="${value}"${isChosen && html` selected`}>${words}</option>`
