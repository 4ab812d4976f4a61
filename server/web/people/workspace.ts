import { type Html, html } from '../html.ts'

export const workspaceForm = (name: string): Html =>
  html`<form method="dialog" id="workspace" data-live data-call="PATCH /api/workspace" data-say="Saved.">
<div class="field"><label for="workspace-name">Workspace name</label>
<input id="workspace-name" name="name" value="${name}" required maxlength="80" autocomplete="off" aria-describedby="workspace-hint">
<p class="hint" id="workspace-hint">Shown on every page, in email and in webhooks. URLs do not change.</p></div>
<button class="second">Save</button>
</form>`
