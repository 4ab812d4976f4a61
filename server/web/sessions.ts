import type { OpenSession, SessionView } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import { newRoutes, type Routes } from '../context.ts'
import { type Html, html } from './html.ts'
import { csrfField, leadTo, type Pages } from './pages.ts'
import { changing, reading } from './signed-in.ts'

const path = '/account/sessions'

/** Where somebody is signed in, and the ways to end that. */
export const sessionRoutes = (
  { sessions }: Pick<Workspace, 'sessions'>,
  { pages, browserSessions }: { pages: Pages; browserSessions: BrowserSessions },
): Routes =>
  newRoutes()
    .get(
      path,
      reading(browserSessions, (ctx, session) => {
        const listed = sessions.list(session.caller.member)
        pages.show(ctx, { title: 'Where you are signed in', content: sessionList(listed, session), session })
      }),
    )
    .post(
      `${path}/end`,
      changing(browserSessions, async (ctx, { caller }) => {
        await sessions.endAll(caller.member)
        browserSessions.forget(ctx)
        leadTo(ctx, '/signin')
      }),
    )
    .post(
      `${path}/:id/end`,
      changing(browserSessions, async (ctx, { caller }) => {
        await sessions.end(caller.member, ctx.params.id!)
        leadTo(ctx, path)
      }),
    )
    .post(
      '/signout',
      changing(browserSessions, async (ctx, { id, caller }) => {
        await sessions.end(caller.member, id)
        browserSessions.forget(ctx)
        leadTo(ctx, '/signin')
      }),
    )

const sessionList = (listed: readonly SessionView[], current: OpenSession): Html =>
  html`<h1>Where you are signed in</h1>
<ul class="rows">
${listed.map((one) => row(one, current))}
</ul>
<form method="post" action="${path}/end">${csrfField(current)}<button class="danger">Sign out everywhere</button></form>
<p class="aside">Signing out everywhere ends every session, this one too, and the links that have not been used. Your
keys stay as they are.</p>`

const row = ({ id, device, createdAt, lastUsedAt }: SessionView, current: OpenSession): Html =>
  html`<li>
<p><strong>${device}</strong>${id === current.id && html` <span class="tag">this browser</span>`}<br>
<small>Since ${moment(createdAt)}, last used ${moment(lastUsedAt)}</small></p>
${
  id !== current.id &&
  html`<form method="post" action="${path}/${id}/end">${csrfField(current)}<button class="second" aria-label="Sign out of ${device}">Sign out</button></form>`
}
</li>
`

const minutes = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** @param timeMs Unix milliseconds */
const moment = (timeMs: number): Html =>
  html`<time datetime="${new Date(timeMs).toISOString()}">${minutes.format(timeMs)} UTC</time>`
