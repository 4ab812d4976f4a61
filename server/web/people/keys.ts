import { agentScopes, type MemberType } from '../../../core/access/member.ts'
import type { KeyView } from '../../../core/members/views.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'

export const secretNotice = (id: string, what: string, field: string, further?: Html): Html =>
  html`<div class="notice" id="${id}" tabindex="-1" role="group" aria-label="${what}" hidden data-keep>
<p><strong>${what}</strong> (shown only once):</p>
${copyable(`${id}-secret`, html`<output class="mono" data-from="${field}" aria-label="${what}"></output>`)}
${further}
</div>`

/** The first request of a new key, to be copied. @param baseUrl of this Workroom, absolute */
export const newKeyNotice = (id: string, what: string, baseUrl: string): Html =>
  secretNotice(
    id,
    what,
    'key',
    html`<p>Start with this request:</p>
${copyable(`${id}-line`, html`<code>curl -H "Authorization: Bearer <span data-from="key"></span>" ${baseUrl}/v1/fs</code>`)}`,
  )

export const copyable = (id: string, text: Html): Html =>
  html`<p class="copied"><span id="${id}">${text}</span> <button type="button" class="second small" data-module="copy" data-what="${id}">Copy</button></p>`

/** The keys of a member, and the way to a new one. @param baseUrl of this Workroom, absolute */
export const keySection = (
  memberId: string,
  type: MemberType,
  { keys, baseUrl }: { keys: readonly KeyView[]; baseUrl: string },
): Html =>
  html`<section aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<div id="keys" data-live>
${keys.length > 0 ? html`<ul class="rows">${keys.map((key) => row(memberId, key))}</ul>` : html`<p class="hint">No keys.</p>`}
</div>
${newKeyNotice('new-key', 'The new key', baseUrl)}
<details class="sheet fold" id="make-key">
<summary>New key</summary>
<form method="dialog" data-call="POST /api/members/${memberId}/keys" data-reset data-then="show:new-key">
<div class="field"><label for="label">Label</label>
<input id="label" name="label" maxlength="80" autocomplete="off" placeholder="Laptop"></div>
${type === 'agent' && scopeChoice}
<button class="second">Create key</button>
</form>
</details>
</section>`

const scopeChoice = html`<fieldset class="scopes">
<legend>Scopes</legend>
${agentScopes.map((scope) => html`<label><input type="checkbox" name="scopes" data-as="list" value="${scope}" checked> <code>${scope}</code></label>`)}
</fieldset>`

const row = (memberId: string, { id, label, scopes, createdAt, lastUsedAt }: KeyView): Html =>
  html`<li id="${id}"><p class="main"><strong><bdi>${label || 'Unnamed key'}</bdi></strong><br>
<small>Created ${dateTime(createdAt)} · ${lastUsedAt === null ? 'never used' : html`last used ${dateTime(lastUsedAt)}`} · ${scopesOf(scopes)}</small></p>
<button class="danger small" data-call="DELETE /api/members/${memberId}/keys/${id}" data-confirm="Revoke this key? Programs that use it lose access immediately." data-confirm-button="Revoke">Revoke<span class="unseen"> the key ${label}</span></button></li>
`

function scopesOf(scopes: readonly string[]): string {
  if (scopes.includes('*') || scopes.length === agentScopes.length) return 'full access'
  return scopes.join(', ')
}
