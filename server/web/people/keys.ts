import { agentScopes, type MemberType } from '../../../core/access/member.ts'
import type { KeyView } from '../../../core/members/views.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'

export const secretNotice = (id: string, label: string, field: string, further?: Html): Html =>
  html`<div class="notice" id="${id}" tabindex="-1" role="group" aria-label="${label}" hidden data-keep>
<p><strong>${label}</strong> (shown only once):</p>
${copyable(`${id}-secret`, html`<output class="mono" data-from="${field}" aria-label="${label}"></output>`)}
${further}
</div>`

/** Shows a new key as part of a first request. @param baseUrl the server's public URL */
export const newKeyNotice = (id: string, label: string, baseUrl: string): Html =>
  secretNotice(
    id,
    label,
    'key',
    html`<p>Start with this request:</p>
${copyable(`${id}-line`, html`<code>curl -H "Authorization: Bearer <span data-from="key"></span>" ${baseUrl}/v1/fs</code>`)}`,
  )

export const copyable = (id: string, text: Html): Html =>
  html`<p class="copied"><span id="${id}">${text}</span> <button type="button" class="second small" data-copies="${id}">Copy</button></p>`

interface KeySection {
  keys: readonly KeyView[]
  baseUrl: string
  nowMs: number
  /** Where to sign in again; null if the session is new enough to create keys. */
  signInPath: string | null
}

/** For what requires a new session. @param next the path of the page */
export const signInAgainPath = (next: string): string => `/signin?again=1&next=${encodeURIComponent(next)}`

export const keySection = (
  { id: memberId, type }: { id: string; type: MemberType },
  { keys, baseUrl, nowMs, signInPath }: KeySection,
): Html =>
  html`<section aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<div id="keys" data-live>
${
  keys.length > 0
    ? html`<ul class="rows">${keys.map((key) => row(memberId, key, { nowMs, mayRotate: signInPath === null }))}</ul>`
    : html`<p class="hint">No keys.</p>`
}
</div>
${newKeyNotice('new-key', 'The new key', baseUrl)}
${
  signInPath === null
    ? newKeyForm(memberId, type, nowMs)
    : html`<p class="hint">To create or rotate a key, <a href="${signInPath}">sign in again</a>.</p>`
}
</section>`

const newKeyForm = (memberId: string, type: MemberType, nowMs: number): Html =>
  html`<details class="sheet fold" id="make-key">
<summary>New key</summary>
<form method="dialog" data-call="POST /api/members/${memberId}/keys" data-reset data-then="show:new-key">
<div class="field"><label for="label">Label</label>
<input id="label" name="label" maxlength="80" autocomplete="off" placeholder="Laptop"></div>
${expiryField('key-expiry', keyLifetimes, nowMs)}
${type === 'agent' && scopeChoice}
<button class="second">Create key</button>
</form>
</details>`

const keyLifetimes = [30, 90, 365]

const dayMs = 24 * 60 * 60 * 1000

/** A choice of lifetimes, starting with never. @param days in the order offered */
export const expiryField = (id: string, days: readonly number[], nowMs: number, chosen?: number): Html =>
  html`<div class="field"><label for="${id}">Expires</label>
<select id="${id}" name="expiresAt" data-as="number"><option value="">Never</option>
${days.map(
  (count) =>
    html`<option value="${nowMs + count * dayMs}"${
      count === chosen && html` selected`
    }>After ${count === 1 ? 'a day' : `${count} days`}</option>`,
)}</select></div>`

const scopeChoice = html`<fieldset class="scopes">
<legend>Scopes</legend>
${agentScopes.map(
  (scope) =>
    html`<label><input type="checkbox" name="scopes" data-as="list" value="${scope}" checked> <code>${scope}</code></label>`,
)}
</fieldset>`

function row(
  memberId: string,
  { id, label, scopes, createdAt, lastUsedAt, expiresAt }: KeyView,
  { nowMs, mayRotate }: { nowMs: number; mayRotate: boolean },
): Html {
  const hasExpired = expiresAt !== undefined && expiresAt <= nowMs
  const path = `/api/members/${memberId}/keys/${id}`
  return html`<li id="${id}"><p class="main"><strong><bdi>${label || 'Unnamed key'}</bdi></strong>${
    hasExpired && html` <span class="tag danger">expired</span>`
  }<br>
<small>Created ${dateTime(createdAt)} · ${lastUsedAt === null ? 'never used' : html`last used ${dateTime(lastUsedAt)}`}${
    expiresAt !== undefined && html` · ${hasExpired ? 'expired' : 'expires'} ${dateTime(expiresAt)}`
  } · ${scopesOf(scopes)}</small></p>
<div class="buttons">${
    mayRotate &&
    html`<button class="second small" data-call="POST ${path}/rotate" data-then="show:new-key" \
data-confirm="Replace this key with a new one? The old key stops working immediately." data-confirm-button="Rotate">Rotate<span \
class="unseen"> the key ${label}</span></button>`
  }
<button class="danger small" data-call="DELETE ${path}" \
data-confirm="Revoke this key? Programs that use it lose access immediately." data-confirm-button="Revoke">Revoke<span \
class="unseen"> the key ${label}</span></button></div></li>
`
}

function scopesOf(scopes: readonly string[]): string {
  if (scopes.includes('*') || scopes.length === agentScopes.length) return 'full access'
  return scopes.join(', ')
}
