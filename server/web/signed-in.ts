import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import type { RouteContext } from '../context.ts'
import { readForm } from '../middleware/body.ts'
import { signinPagePath } from './local-path.ts'
import { leadTo } from './pages.ts'

type Handler = (ctx: RouteContext) => unknown

/** A page for those who are signed in; others sign in first, and come back to it. */
export const reading =
  (browserSessions: BrowserSessions, show: (ctx: RouteContext, session: OpenSession) => unknown): Handler =>
  (ctx) => {
    const session = browserSessions.find(ctx)
    if (!session) return leadTo(ctx, signinPagePath(ctx.path + ctx.search))
    ctx.state.caller = session.caller
    return show(ctx, session)
  }

/**
 * What a form of somebody who is signed in asks for; whoever is not any more signs in first.
 * @throws WorkspaceError `forbidden` where no page of ours in this session has sent the form
 */
export const changing =
  (
    browserSessions: BrowserSessions,
    change: (ctx: RouteContext, session: OpenSession, form: URLSearchParams) => unknown,
  ): Handler =>
  async (ctx) => {
    const session = browserSessions.find(ctx)
    if (!session) return leadTo(ctx, '/signin')
    ctx.state.caller = session.caller
    const form = await readForm(ctx)
    browserSessions.requireOwnChange(ctx, session, form.get('csrf'))
    return change(ctx, session, form)
  }
