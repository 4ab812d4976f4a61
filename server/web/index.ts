import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import { type Middleware, newRoutes, type Routes } from '../context.ts'
import type { ServerParts } from '../parts.ts'
import { acceptsHtml } from './accepts-html.ts'
import { accountPages } from './account/index.ts'
import { ownKeyRoutes } from './account/keys.ts'
import { notificationPages } from './account/notifications.ts'
import { passkeyRoutes } from './account/passkeys.ts'
import { askPageRoutes } from './asks/index.ts'
import { installRoutes } from './assets.ts'
import { boardPageRoutes } from './board/index.ts'
import { documentPageRoutes } from './documents/index.ts'
import { editorRoutes } from './editor/index.ts'
import { fileRoutes } from './files/index.ts'
import { helpRoutes } from './help/index.ts'
import { homeRoutes } from './home/index.ts'
import { inboxPages } from './inbox/index.ts'
import { invitePages } from './invites/index.ts'
import { joinRoutes } from './join.ts'
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
import { passkeySigninRoutes, signinLinkRoutes, signinRoutes } from './signin.ts'
import { skillPages } from './skills/index.ts'
import { trashRoutes } from './trash/index.ts'
import { unreachedRoutes } from './unreached.ts'
import { usagePages } from './usage/index.ts'
import { welcomeRoutes } from './welcome.ts'

export const webRoutes = (workspace: Workspace, parts: ServerParts): Routes =>
  [
    parts.assets.routes,
    signinRoutes(workspace, parts),
    passkeySigninRoutes(workspace, parts),
    signinLinkRoutes(workspace, parts),
    joinRoutes(workspace, parts),
    sessionRoutes(workspace, parts),
    welcomeRoutes(workspace, parts),
    homeRoutes(workspace, parts),
    helpRoutes(workspace, parts),
    inboxPages(workspace, parts),
    searchPages(workspace, parts),
    nameRoutes(workspace, parts),
    accountPages(workspace, parts),
    notificationPages(workspace, parts),
    installRoutes(workspace),
    ownKeyRoutes(workspace, parts),
    passkeyRoutes(workspace, parts),
    usagePages(workspace, parts),
    roomRoutes(workspace, parts),
    projectListRoutes(workspace, parts),
    projectOverviewRoutes(workspace, parts),
    documentPageRoutes(workspace, parts),
    boardPageRoutes(workspace, parts),
    askPageRoutes(workspace, parts),
    planPageRoutes(workspace, parts),
    editorRoutes(workspace, parts),
    projectSettingsRoutes(workspace, parts),
    fileRoutes(workspace, parts),
    linkRoutes(workspace, parts),
    trashRoutes(workspace, parts),
    avatarRoutes(workspace, parts),
    memberListRoutes(workspace, parts),
    memberRoutes(workspace, parts),
    invitePages(workspace, parts),
    repositoryPages(workspace, parts),
    pullPages(workspace, parts),
    skillPages(workspace, parts),
    unreachedRoutes(workspace, parts),
  ].reduce((web, part) => web.use(part.routes()), newRoutes())

/** Comes after all routes: visitors who are not signed in do not learn which pages exist. */
export const signInFirst =
  (browserSessions: BrowserSessions): Middleware =>
  (ctx, next) => {
    const isPage = ctx.method === 'GET' || ctx.method === 'HEAD'
    const isKnown = ((ctx.matched ?? []) as unknown[]).length > 0
    if (!isPage || isKnown || !acceptsHtml(ctx) || browserSessions.find(ctx)) return next()
    return redirect(ctx, signinPagePath(ctx.path + ctx.search))
  }
