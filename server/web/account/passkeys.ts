import { z } from 'zod'
import { isFreshSignIn } from '../../../core/access/permissions.ts'
import type { PasskeyView } from '../../../core/sessions/passkeys.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { readFields } from '../../request-fields.ts'
import { csrfField } from '../csrf-field.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { redirect } from '../pages.ts'
import { signInAgainPath } from '../people/keys.ts'
import { formHandler, requireCaller } from '../signed-in.ts'

export const passkeysPath = '/account/passkeys'

const createdPasskey = { response: z.looseObject({}), label: z.string() }

const whatFor = 'Sign in to add a passkey.'

export const passkeyRoutes = (
  workspace: Pick<Workspace, 'clock' | 'signin'>,
  { browserSessions, page }: Pick<ServerParts, 'browserSessions' | 'page'>,
): Routes => {
  const { clock } = workspace
  const { passkeys } = workspace.signin
  return newRoutes()
    .purpose('Page: your passkeys')
    .get(
      passkeysPath,
      page((_, { caller, session }) => ({
        title: 'Passkeys',
        content: passkeyPage(passkeys.list(caller), session, isFreshSignIn(caller, clock.now())),
        kind: 'passkeys',
        follows: { topics: [`member:${caller.member.id}`] },
      })),
    )
    .purpose('Begin to add a passkey, for an open page')
    .post(`${passkeysPath}/options`, async (ctx) => {
      const caller = requireCaller(browserSessions, ctx, whatFor)
      ctx.set('Cache-Control', 'no-store')
      ctx.body = await passkeys.creationOptions(caller, ctx.get('Origin'))
    })
    .purpose('Add a passkey')
    .post(passkeysPath, async (ctx) => {
      const caller = requireCaller(browserSessions, ctx, whatFor)
      const fields = await readFields(ctx, createdPasskey)
      await passkeys.add(caller, ctx.get('Origin'), fields)
      ctx.status = 201
      ctx.body = { added: true }
    })
    .purpose('Remove one of your passkeys')
    .post(
      `${passkeysPath}/:id/remove`,
      formHandler(browserSessions, async (ctx, { caller }) => {
        await passkeys.remove(caller, ctx.params.id!)
        redirect(ctx, passkeysPath)
      }),
    )
}

const passkeyPage = (listed: readonly PasskeyView[], session: OpenSession, mayAdd: boolean): Html =>
  html`<p class="trail"><a href="/account">Settings</a> /</p>
<div class="page-head"><h1>Passkeys</h1></div>
<p class="lead before">A passkey signs you in with your fingerprint, face or screen lock. There is nothing to remember or paste.</p>
<div id="passkeys" data-live>
${
  listed.length > 0
    ? html`<ul class="rows">${listed.map((passkey) => row(passkey, session))}</ul>`
    : html`<div class="empty"><p>No passkeys yet.</p></div>`
}
</div>
${mayAdd ? newPasskey : html`<p class="hint">To add a passkey, <a href="${signInAgainPath(passkeysPath)}">sign in again</a>.</p>`}`

const newPasskey = html`<form method="dialog" class="sheet" id="new-passkey">
<div class="field"><label for="label">Label</label>
<input id="label" name="label" maxlength="80" autocomplete="off" placeholder="Phone"></div>
<button>Add a passkey</button>
<p class="hint" id="passkey-unavailable" hidden>Passkeys need a browser that supports them, and an https address or http://localhost.</p>
</form>`

const row = (
  { id, label, host, createdAt, lastUsedAt }: PasskeyView,
  session: OpenSession,
): Html => html`<li id="${id}"><p class="main"><strong><bdi>${label || 'Unnamed passkey'}</bdi></strong><br>
<small>For <bdi>${host}</bdi> · Created ${dateTime(createdAt)} · ${
  lastUsedAt === null ? 'never used' : html`last used ${dateTime(lastUsedAt)}`
}</small></p>
<form method="post" action="${passkeysPath}/${id}/remove">${csrfField(session)}<button class="danger small">Remove<span \
class="unseen"> the passkey ${label}</span></button></form></li>
`
