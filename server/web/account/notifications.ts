import type { Caller } from '../../../core/access/member.ts'
import { type NotificationKind, notificationKinds } from '../../../core/inbox/kinds.ts'
import type { NotificationSettingsView } from '../../../core/notifications/notification-settings.ts'
import type { PushDeviceView } from '../../../core/notifications/push-devices.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { timeReaderOf } from '../reader-times.ts'

const notificationSettingsPath = '/account/notifications'

const kindNames: Record<NotificationKind, string> = {
  mention: 'Mentions',
  card: 'Cards assigned to you',
  ask: 'Asks assigned to you',
  comment: 'Comments on what you wrote',
  reply: 'Replies in your threads',
  direct: 'Direct messages',
  answer: 'Answers to your asks',
  removed: 'Removal from a room',
}

export const notificationPages = (
  workspace: Pick<Workspace, 'clock' | 'inbox'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: how you are notified')
    .get(
      notificationSettingsPath,
      page((ctx, { caller }) => ({
        title: 'Notifications',
        kind: 'notifications',
        content: html`<p class="trail"><a href="/account">Settings</a> /</p>
<h1>Notifications</h1>
<div class="stack">
${
  caller.member.type === 'human'
    ? sections(workspace, caller, timeReaderOf(ctx, workspace).timeZone)
    : html`<p class="hint">Agents are notified by webhooks and events.</p>`
}
</div>`,
        follows: { topics: [`member:${caller.member.id}`] },
      })),
    )

/** @param ownZone the reader's time zone; null if unknown */
function sections({ inbox }: Pick<Workspace, 'inbox'>, caller: Caller, ownZone: string | null): Html {
  const settings = inbox.settings.get(caller)
  const devices = inbox.devices.list(caller)
  return html`${deviceSection(devices, inbox.devices.publicKey)}
${quietSection(settings, ownZone)}
${mailSection(settings, caller)}`
}

const kindBoxes = (name: string, legend: string, chosen: readonly NotificationKind[]): Html =>
  html`<fieldset><legend>${legend}</legend>
${notificationKinds.map(
  (kind) =>
    html`<label><input type="checkbox" name="${name}" data-as="list" value="${kind}"${
      chosen.includes(kind) && html` checked`
    }> ${kindNames[kind]}</label>\n`,
)}</fieldset>`

const deviceSection = (devices: readonly PushDeviceView[], publicKey: string): Html =>
  html`<section class="sheet" aria-labelledby="devices-title">
<h2 id="devices-title">Browsers</h2>
<div id="this-browser" data-public-key="${publicKey}">
<p class="hint">Notifications appear on this device, even while Workroom is closed.</p>
<p><button class="second" type="button" hidden>Turn on in this browser</button></p>
<p class="hint" role="status"></p>
</div>
<div id="devices" data-live>
${devices.map(deviceForm)}
</div>
</section>`

const deviceForm = ({ id, device, kinds, sound, isThis, createdAt }: PushDeviceView): Html =>
  html`<details class="fold" id="device-${id}"${isThis && html` data-this`}>
<summary>${device}${isThis && html` <span class="tag">this browser</span>`} <small>since ${dateTime(createdAt)}</small></summary>
<form method="dialog" id="form-${id}" data-call="PATCH /v1/inbox/devices/${id}" data-say="Saved.">
${kindBoxes('kinds', `Show on ${device}`, kinds)}
<label><input type="checkbox" name="sound"${sound && html` checked`}> Play a sound</label>
<div class="buttons"><button>Save</button>
<button class="danger" type="button" data-call="DELETE /v1/inbox/devices/${id}" data-say="Turned off.">Turn off</button></div>
</form>
</details>
`

function quietSection(
  { quietFrom, quietUntil, timeZone, pausedUntil }: NotificationSettingsView,
  ownZone: string | null,
): Html {
  // UTC without quiet hours is the default, so nobody has chosen it.
  const offeredZone = quietFrom === null && timeZone === 'UTC' ? (ownZone ?? timeZone) : timeZone
  return html`<section class="sheet" aria-labelledby="quiet-title">
<h2 id="quiet-title">Quiet hours</h2>
<p class="hint">No browser notifications are shown during these hours. Your inbox and email are not affected.</p>
<form method="dialog" id="quiet" data-live data-call="PATCH /v1/inbox/settings" data-say="Saved.">
<div class="field"><label for="quiet-from">From</label>
<input id="quiet-from" name="quietFrom" type="time" data-empty="null" value="${quietFrom ?? ''}"></div>
<div class="field"><label for="quiet-until">Until</label>
<input id="quiet-until" name="quietUntil" type="time" data-empty="null" value="${quietUntil ?? ''}"></div>
<div class="field"><label for="time-zone">Time zone</label>
<input id="time-zone" name="timeZone" value="${offeredZone}" required maxlength="60" autocomplete="off" placeholder="Europe/Lisbon"></div>
<button>Save</button>
</form>
</section>
<section class="sheet" aria-labelledby="pause-title">
<h2 id="pause-title">Do not disturb</h2>
<form method="dialog" class="inline" id="pause" data-live data-call="PATCH /v1/inbox/settings" data-say="Notifications are paused.">
<div class="field"><label for="pause-minutes">Minutes</label>
<input id="pause-minutes" name="pauseMinutes" type="number" data-as="number" min="1" max="43200" value="60" required></div>
<button class="second">Pause</button>
</form>
<div id="paused" data-live>${
    pausedUntil !== null &&
    html`<p>Paused until ${dateTime(pausedUntil)}.
<button class="second" data-call="PATCH /v1/inbox/settings" data-json="${JSON.stringify({ pauseMinutes: 0 })}" \
data-say="Notifications are on.">Resume</button></p>`
  }</div>
</section>`
}

const mailSection = ({ mail }: NotificationSettingsView, { member }: Caller): Html =>
  html`<section class="sheet" aria-labelledby="mail-title">
<h2 id="mail-title">Email</h2>
<div id="mail-hint" data-live>${
    (!member.emailNotifications || member.email === '') &&
    html`<p class="hint">No email is sent to you. Add an address and choose “Email notifications” in <a \
href="/account">your profile</a>.</p>`
  }</div>
<form method="dialog" id="mail" data-live data-call="PATCH /v1/inbox/settings" data-say="Saved.">
${kindBoxes('mail', 'Send me', mail)}
<button>Save</button>
</form>
</section>`
