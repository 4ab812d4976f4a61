import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import { type Middleware, newRoutes, type Routes } from '../context.ts'
import type { Assets } from './assets.ts'
import { signinPagePath } from './local-path.ts'
import { leadTo } from './pages.ts'
import { sessionRoutes } from './sessions.ts'
import { type SigninOptions, signinRoutes } from './signin.ts'
import { wantsPage } from './wants-page.ts'

/** The pages that people read, and what these are shown with. */
export const webRoutes = (workspace: Workspace, options: SigninOptions & { assets: Assets }): Routes =>
  [options.assets.routes, signinRoutes(workspace, options), sessionRoutes(workspace, options)].reduce(
    (web, part) => web.use(part.routes()),
    newRoutes(),
  )

/** Stands behind all routes: whoever is signed out learns of no page whether there is one. */
export const signInFirst =
  (browserSessions: BrowserSessions): Middleware =>
  (ctx, next) => {
    const isPage = ctx.method === 'GET' || ctx.method === 'HEAD'
    const isKnown = ((ctx.matched ?? []) as unknown[]).length > 0
    if (!isPage || isKnown || !wantsPage(ctx) || browserSessions.find(ctx)) return next()
    return leadTo(ctx, signinPagePath(ctx.path + ctx.search))
  }
