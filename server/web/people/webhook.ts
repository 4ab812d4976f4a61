import {
  type DeliveryView,
  defaultWebhookEvents,
  type WebhookView,
  webhookEvents,
} from '../../../core/webhooks/types.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { secretNotice } from './keys.ts'

const eventTexts = {
  mention: 'The agent is mentioned',
  'message.created': 'A message is sent in a room it follows',
  reply: 'Someone replies in a thread it wrote in',
  comment: 'Someone comments on something it wrote',
  assigned: 'A card or an ask is assigned to it',
} as const

export const webhookSection = (
  memberId: string,
  webhook: WebhookView,
  deliveries: readonly DeliveryView[],
): Html =>
  html`<section aria-labelledby="webhook-title">
<h2 id="webhook-title">Webhook</h2>
<div id="webhook" data-live>
${webhook.state === 'failing' && html`<p class="notice warn">Its deliveries have failed since ${dateTime(webhook.failingSince!)}.</p>`}
${
  webhook.url === null
    ? html`<p class="hint">No webhook is set. Add a URL to notify the agent immediately.</p>`
    : currentSettings(memberId, webhook)
}
</div>
${secretNotice('new-secret', 'The signing secret', 'secret')}
<details class="sheet fold" id="set-webhook">
<summary>${webhook.url === null ? 'Set a webhook' : 'Change the webhook'}</summary>
${form(memberId, webhook)}
</details>
<div id="deliveries" data-live>
${deliveries.length > 0 && deliveryTable(memberId, deliveries)}
</div>
</section>`

const currentSettings = (memberId: string, { url, events, secretCreatedAt }: WebhookView): Html =>
  html`<dl class="details">
<dt>URL</dt><dd><bdi class="mono">${url}</bdi></dd>
<dt>Events</dt><dd>${events.length === 0 ? 'never' : events.map((event) => html`<div>${eventTexts[event]}</div>`)}</dd>
<dt>Secret</dt><dd>created ${dateTime(secretCreatedAt!)}
<button class="quiet" data-call="POST /api/members/${memberId}/webhook/rotate" data-then="show:new-secret" \
data-confirm="Rotate the signing secret? The old secret also signs for 24 hours." data-confirm-button="Rotate">Rotate secret</button></dd>
</dl>`

const form = (memberId: string, { url, events }: WebhookView): Html =>
  html`<form method="dialog" id="webhook-form" data-live data-call="PUT /api/members/${memberId}/webhook" \
data-then="show:new-secret" data-say="Saved.">
<div class="field"><label for="url">URL</label>
<input id="url" name="url" type="url" data-empty="null" value="${url ?? ''}" maxlength="2048" autocomplete="off" \
spellcheck="false" placeholder="https://agent.example.org/workroom" aria-describedby="url-hint">
<p class="hint" id="url-hint">A public https URL. Leave empty to remove the webhook.</p></div>
<fieldset>
<legend>Events</legend>
${webhookEvents.map(
  (event) =>
    html`<label><input type="checkbox" name="events" data-as="list" value="${event}"${
      (url === null ? defaultWebhookEvents : events).some((one) => one === event) && html` checked`
    }> ${eventTexts[event]}</label>`,
)}
</fieldset>
<button class="second">Save</button>
</form>`

const deliveryTable = (memberId: string, deliveries: readonly DeliveryView[]): Html =>
  html`<h3>Deliveries</h3>
<div class="scroller" tabindex="0" role="region" aria-label="Deliveries">
<table class="plain">
<thead><tr><th scope="col">When</th><th scope="col">Event</th><th scope="col">State</th><th scope="col">Attempts</th><th \
scope="col">Last response</th><th scope="col"><span class="unseen">Action</span></th></tr></thead>
<tbody>
${deliveries.map((delivery) => deliveryRow(memberId, delivery))}</tbody>
</table>
</div>`

const stateClasses: Record<string, string> = { delivered: 'good', failed: 'danger', held: 'warn' }

function deliveryRow(memberId: string, delivery: DeliveryView): Html {
  const { id, event, state, attempts, nextAttemptAt, createdAt } = delivery
  return html`<tr id="${id}"><td>${dateTime(createdAt)}</td><td>${event}</td>
<td><span class="tag ${stateClasses[state] ?? ''}">${state}</span>${
    nextAttemptAt !== null && html`<br><small>next attempt ${dateTime(nextAttemptAt)}</small>`
  }</td>
<td>${attempts}</td><td>${lastResponse(delivery)}</td>
<td>${
    state !== 'pending' &&
    html`<button class="quiet" data-call="POST /api/members/${memberId}/webhook/deliveries/${id}/redeliver" \
data-say="Redelivery queued.">Redeliver<span class="unseen"> ${id}</span></button>`
  }</td></tr>
`
}

const lastResponse = ({ lastStatus, lastError }: DeliveryView): string =>
  lastStatus === null ? (lastError?.replaceAll('_', ' ') ?? '') : String(lastStatus)
