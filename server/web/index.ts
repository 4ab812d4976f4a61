import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import { type Middleware, newRoutes, type Routes } from '../context.ts'
import { acceptsHtml } from './accepts-html.ts'
import { accountPages } from './account/index.ts'
import { ownKeyRoutes } from './account/keys.ts'
import { notificationPages } from './account/notifications.ts'
import { passkeyRoutes } from './account/passkeys.ts'
import { askPageRoutes } from './asks/index.ts'
import { type Assets, installRoutes } from './assets.ts'
import { boardPageRoutes } from './board/index.ts'
import { documentPageRoutes } from './documents/index.ts'
import { type EditorOptions, editorRoutes } from './editor/index.ts'
import { fileRoutes } from './files/index.ts'
import { helpRoutes } from './help/index.ts'
import { homeRoutes } from './home/index.ts'
import { inboxPages } from './inbox/index.ts'
import { invitePages } from './invites/index.ts'
import { type JoiningOptions, joinRoutes } from './join.ts'
import { linkRoutes } from './links/index.ts'
import { signinPagePath } from './local-path.ts'
import { redirect } from './pages.ts'
import { avatarRoutes } from './people/avatars.ts'
import { memberListRoutes } from './people/list.ts'
import { memberRoutes } from './people/member.ts'
import { planPageRoutes } from './plan/index.ts'
import { projectListRoutes } from './projects/list.ts'
import { projectOverviewRoutes } from './projects/overview.ts'
import { projectSettingsRoutes } from './projects/settings.ts'
import { pullPages } from './pulls/index.ts'
import { repositoryPages } from './repositories/index.ts'
import { roomRoutes } from './rooms/index.ts'
import { searchPages } from './search/index.ts'
import { nameRoutes } from './search/names.ts'
import { sessionRoutes } from './sessions.ts'
import { type PageDeps, pageFor } from './signed-in.ts'
import { passkeySigninRoutes, type SigninOptions, signinLinkRoutes, signinRoutes } from './signin.ts'
import { skillPages } from './skills/index.ts'
import { trashRoutes } from './trash/index.ts'
import { unreachedRoutes } from './unreached.ts'
import { usagePages } from './usage/index.ts'
import { welcomeRoutes } from './welcome.ts'

export function webRoutes(
  workspace: Workspace,
  options: SigninOptions &
    JoiningOptions &
    EditorOptions & { assets: Assets; publicUrl: string; description: () => object },
): Routes {
  const { pages, browserSessions, publicUrl } = options
  const deps: PageDeps = {
    workspace,
    pages,
    browserSessions,
    publicUrl,
    page: pageFor({ ...options, workspace }),
  }
  return [
    options.assets.routes,
    signinRoutes(workspace, options),
    passkeySigninRoutes(workspace, options),
    signinLinkRoutes(workspace, options),
    joinRoutes(workspace, options),
    sessionRoutes(deps),
    welcomeRoutes(deps),
    homeRoutes(deps),
    helpRoutes(deps, options.description),
    inboxPages(deps),
    searchPages(deps),
    nameRoutes(deps),
    accountPages(deps),
    notificationPages(deps),
    installRoutes(workspace),
    ownKeyRoutes(deps),
    passkeyRoutes(deps),
    usagePages(deps),
    roomRoutes(deps),
    projectListRoutes(deps),
    projectOverviewRoutes(deps),
    documentPageRoutes(deps),
    boardPageRoutes(deps),
    askPageRoutes(deps),
    planPageRoutes(deps),
    editorRoutes(deps, options),
    projectSettingsRoutes(deps),
    fileRoutes(deps),
    linkRoutes(deps),
    trashRoutes(deps),
    avatarRoutes(deps),
    memberListRoutes(deps),
    memberRoutes(deps),
    invitePages(deps),
    repositoryPages(deps),
    pullPages(deps),
    skillPages(deps),
    unreachedRoutes(deps),
  ].reduce((web, part) => web.use(part.routes()), newRoutes())
}

/** Comes after all routes: visitors who are not signed in do not learn which pages exist. */
export const signInFirst =
  (browserSessions: BrowserSessions): Middleware =>
  (ctx, next) => {
    const isPage = ctx.method === 'GET' || ctx.method === 'HEAD'
    const isKnown = ((ctx.matched ?? []) as unknown[]).length > 0
    if (!isPage || isKnown || !acceptsHtml(ctx) || browserSessions.find(ctx)) return next()
    return redirect(ctx, signinPagePath(ctx.path + ctx.search))
  }
