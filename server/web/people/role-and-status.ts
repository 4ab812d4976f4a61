import { type Member, workspaceRoles } from '../../../core/access/member.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'

export function roleAndStatusSection(reader: Member, { id, name, role, status }: Member): Html {
  const roles = workspaceRoles.filter((one) => one !== 'owner' || reader.role === 'owner')
  return html`<section aria-labelledby="standing-title">
<h2 id="standing-title">Role and access</h2>
<div id="standing" data-live>
<form method="dialog" class="inline" id="change-role" data-call="PATCH /api/members/${id}" data-say="Role changed.">
<div class="field"><label for="role">Role</label>
<select id="role" name="role">${roles.map(
    (one) => html`<option value="${one}"${one === role && html` selected`}>${one}</option>`,
  )}</select></div>
<button class="second">Change</button>
</form>
<p class="standing">${
    status === 'active'
      ? html`<button class="danger small" data-call="PATCH /api/members/${id}" \
data-json="{&quot;status&quot;:&quot;deactivated&quot;}" \
data-confirm="Deactivate ${bidiIsolate(name)}? All their keys stop working immediately. You can reactivate them later." \
data-confirm-button="Deactivate">Deactivate</button>
<small>All their keys stop working immediately. Their content is kept.</small>`
      : html`<button class="second small" data-call="PATCH /api/members/${id}" \
data-json="{&quot;status&quot;:&quot;active&quot;}">Reactivate</button>
<small>Their keys work again.</small>`
  }</p>
</div>
</section>`
}
