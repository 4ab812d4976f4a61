import type { Member } from '../../core/access/member.ts'
import { linkValidMs } from '../../core/sessions/signin-links.ts'
import { type Html, html } from './html.ts'
import type { StandalonePage } from './pages.ts'

const linkMinutes = linkValidMs / 60_000

interface SigninForm {
  workspaceName: string
  next: string
  isMailing: boolean
  problem: string | undefined
}

export const signinForm = ({ workspaceName, next, isMailing, problem }: SigninForm): Html =>
  html`<h1>Sign in to <bdi>${workspaceName}</bdi></h1>
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
${
  isMailing &&
  html`<form method="post" action="/signin">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="320" required>
<input type="hidden" name="next" value="${next}">
<button>Email me a link</button>
</form>
<p class="or"><span>or</span></p>`
}
<form method="post" action="/signin">
<label for="key">Your key</label>
<input id="key" name="key" type="password" autocomplete="current-password" spellcheck="false" maxlength="200" required \
aria-describedby="key-hint">
<p class="hint" id="key-hint">Starts with <code>wr_</code>.</p>
<input type="hidden" name="next" value="${next}">
<button class="${isMailing ? 'second' : ''}">Sign in</button>
</form>
<div id="passkey" hidden>
<p class="or"><span>or</span></p>
<button type="button" class="second" data-next="${next}">Sign in with a passkey</button>
<p class="problem" id="passkey-problem" role="alert"></p>
</div>
<p class="aside">No key? If you have an invite, you can <a \
href="/join">join</a>. Otherwise, ask an owner or admin for one. The person who runs this Workroom can create a sign-in link:
<code>workroom signin --member you</code></p>`

/** Must not reveal whether a member has the address. */
export const mailedPage: StandalonePage = {
  title: 'Check your email',
  content: html`<h1>Check your email</h1>
<p>If a member has this address, a sign-in link has been sent to it. It works once and \
expires in ${linkMinutes} minutes.</p>
<p class="aside">No email? Your address may not be in your profile: <a href="/signin">sign in another way</a>.</p>`,
}

export const linkPage = (options: {
  member: Member
  workspaceName: string
  next: string
}): StandalonePage => ({
  title: 'Sign in',
  content: html`<h1>Hello, <bdi>${options.member.name}</bdi></h1>
<p>This link signs you in to <bdi>${options.workspaceName}</bdi>, in this browser. It works once.</p>
<form method="post">
<input type="hidden" name="next" value="${options.next}">
<button>Sign in</button>
</form>`,
})

export const invalidLinkPage: StandalonePage = {
  title: 'This link is not valid',
  content: html`<h1>This link is not valid</h1>
<p>It has been used, has expired, or is incomplete. Each link works once.</p>
<p><a href="/signin">Sign in another way</a>, or request another link.</p>`,
}
