import type { OpenSession, SessionView } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../context.ts'
import type { ServerParts } from '../parts.ts'
import { csrfField } from './csrf-field.ts'
import { dateTime } from './dates.ts'
import { type Html, html } from './html.ts'
import { redirect } from './pages.ts'
import { formHandler } from './signed-in.ts'

const path = '/account/sessions'

export const sessionRoutes = (
  { signin: { sessions } }: Pick<Workspace, 'signin'>,
  { browserSessions, page }: Pick<ServerParts, 'browserSessions' | 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: where you are signed in')
    .get(
      path,
      page((_, { caller, session }) => ({
        title: 'Active sessions',
        content: sessionList(sessions.list(caller.member), session),
        follows: { topics: [`member:${caller.member.id}`] },
      })),
    )
    .purpose('Sign out everywhere')
    .post(
      `${path}/end`,
      formHandler(browserSessions, async (ctx, { caller }) => {
        await sessions.endAll(caller.member)
        browserSessions.clearCookie(ctx)
        redirect(ctx, '/signin')
      }),
    )
    .purpose('End one of your sessions')
    .post(
      `${path}/:id/end`,
      formHandler(browserSessions, async (ctx, { caller }) => {
        await sessions.end(caller.member, ctx.params.id!)
        redirect(ctx, path)
      }),
    )
    .purpose('Sign this browser out')
    .post(
      '/signout',
      formHandler(browserSessions, async (ctx, { id, caller }) => {
        await sessions.end(caller.member, id)
        browserSessions.clearCookie(ctx)
        redirect(ctx, '/signin')
      }),
    )

const sessionList = (listed: readonly SessionView[], current: OpenSession): Html =>
  html`<h1>Active sessions</h1>
<ul class="rows" id="sessions" data-live>
${listed.map((one) => row(one, current))}
</ul>
<form method="post" action="${path}/end">${csrfField(current)}<button class="danger">Sign out everywhere</button></form>
<p class="aside">Signing out everywhere ends every session, including this one, and
invalidates unused sign-in links. Your keys are not affected.</p>`

const row = ({ id, device, createdAt, lastUsedAt }: SessionView, current: OpenSession): Html =>
  html`<li>
<p><strong>${device}</strong>${id === current.id && html` <span class="tag">this browser</span>`}<br>
<small>Since ${dateTime(createdAt)}, last used ${dateTime(lastUsedAt)}</small></p>
${
  id !== current.id &&
  html`<form method="post" action="${path}/${id}/end">${csrfField(current)}<button class="second" \
aria-label="Sign out of ${device}">Sign out</button></form>`
}
</li>
`
