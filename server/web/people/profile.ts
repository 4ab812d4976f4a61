import type { Member } from '../../../core/access/member.ts'
import { type Html, html } from '../html.ts'
import { signInAgainPath } from './keys.ts'

/** @param mayChangeEmail whether the reader's session is new enough to change the mail address */
export const profileForm = (member: Member, mayChangeEmail: boolean): Html =>
  html`<form method="dialog" id="profile" data-live data-call="PATCH /api/members/${member.id}" data-say="Saved.">
<div class="field"><label for="name">Name</label>
<input id="name" name="name" value="${member.name}" required maxlength="80" autocomplete="off"></div>
<div class="field"><label for="status-text">Status</label>
<input id="status-text" name="statusText" data-empty="text" value="${member.statusText}" maxlength="200" autocomplete="off" \
placeholder="On holiday until Monday"></div>
<div class="field"><label for="description">About</label>
<textarea id="description" name="description" data-empty="text" maxlength="2000" rows="3">
${member.description}</textarea></div>
<div class="field"><label for="avatar-url">Picture</label>
<input id="avatar-url" name="avatarUrl" type="url" data-empty="text" value="${member.avatarUrl}" maxlength="2000" \
autocomplete="photo" spellcheck="false" placeholder="https://example.org/me.png" aria-describedby="avatar-hint">
<p class="hint" id="avatar-hint">The https address of a picture of at most 256 kB. Without one, your initials are shown.</p></div>
<div class="field"><label for="email">Email address</label>
<input id="email" name="email" type="email" data-empty="text" value="${member.email}" maxlength="320" \
autocomplete="off"${!mayChangeEmail && html` readonly`}>
<p class="hint">For mention notifications and sign-in links. Only owners and admins can see it.
${!mayChangeEmail && html`To change it, <a href="${signInAgainPath('/account')}">sign in again</a>.`}</p></div>
${
  member.type === 'human' &&
  html`<div class="field"><label><input type="checkbox" name="emailNotifications"${
    member.emailNotifications && html` checked`
  }> Email notifications</label></div>`
}
<button>Save</button>
</form>`
