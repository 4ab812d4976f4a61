import { signinPath } from '../../core/paths.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { readForm } from '../middleware/body.ts'
import { queryText } from '../request-fields.ts'
import { localPath } from './local-path.ts'
import { redirect } from './pages.ts'
import type { SigninOptions, SigninWorkspace } from './signin.ts'
import { invalidLinkPage, linkPage } from './signin-pages.ts'

/** For links sent by mail or created on the command line. */
export function signinLinkRoutes(
  { identity, maintenance, signin: { links, sessions } }: SigninWorkspace,
  { pages, site, browserSessions }: SigninOptions,
): Routes {
  const showDeadLink = (ctx: RouteContext) => pages.showStandalone(ctx, { status: 404, ...invalidLinkPage })

  return newRoutes()
    .purpose('Page: confirm a sign-in link; changes nothing')
    .get(signinPath(':token'), (ctx) => {
      maintenance.refresh()
      const member = links.memberOf(ctx.params.token!)
      if (!member) return showDeadLink(ctx)
      const next = localPath(queryText(ctx, 'next'))
      pages.showStandalone(ctx, linkPage({ member, workspaceName: identity.name, next }))
    })
    .purpose('Sign in with a link, once')
    .post(signinPath(':token'), async (ctx) => {
      site.requireSameOrigin(ctx)
      const form = await readForm(ctx)
      maintenance.refresh()
      const token = await sessions.signInByLink(ctx.params.token!, browserSessions.clientOf(ctx))
      if (token === null) return showDeadLink(ctx)
      browserSessions.setCookie(ctx, token)
      redirect(ctx, localPath(form.get('next')))
    })
}
