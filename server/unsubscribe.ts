import { unsubscribePath } from '../core/paths.ts'
import type { Workspace } from '../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from './context.ts'
import { html } from './web/html.ts'
import type { Pages, StandalonePage } from './web/pages.ts'

const path = unsubscribePath(':token')

/** A POST with any body unsubscribes (RFC 8058); a GET does not, since mail scanners follow links. */
export function unsubscribeRoutes(workspace: Pick<Workspace, 'identity' | 'inbox'>, pages: Pages): Routes {
  const {
    inbox: { unsubscribeLinks },
  } = workspace
  const sendPage = (ctx: RouteContext, page: StandalonePage) => {
    pages.showStandalone(ctx, page)
    // The page's URL contains the token.
    ctx.set('Referrer-Policy', 'no-referrer')
  }
  return newRoutes()
    .purpose('Page: confirm an unsubscribe link; changes nothing')
    .get(path, (ctx) => {
      const member = unsubscribeLinks.memberOf(ctx.params.token!)
      if (!member) return sendPage(ctx, invalidLinkPage)
      sendPage(
        ctx,
        member.emailNotifications
          ? confirmPage(workspace.identity.name, member.name)
          : donePage(workspace.identity.name),
      )
    })
    .purpose('Turn off mail to a member')
    .post(path, async (ctx) => {
      const isEnded = await unsubscribeLinks.unsubscribe(ctx.params.token!)
      sendPage(ctx, isEnded ? donePage(workspace.identity.name) : invalidLinkPage)
    })
}

const confirmPage = (workspace: string, member: string): StandalonePage => ({
  title: 'Unsubscribe?',
  content: html`<h1>Unsubscribe?</h1>
<p><bdi>${member}</bdi>, <bdi>${workspace}</bdi> notifies you of mentions by email. If you unsubscribe, your inbox still shows them.</p>
<form method="post"><button>Unsubscribe</button></form>`,
})

const donePage = (workspace: string): StandalonePage => ({
  title: 'Unsubscribed',
  content: html`<h1>Unsubscribed</h1>
<p><bdi>${workspace}</bdi> no longer sends you email. You can turn it on again in your <a href="/account">settings</a>.</p>`,
})

const invalidLinkPage: StandalonePage = {
  status: 404,
  title: 'This link is not valid',
  content: html`<h1>This link is not valid</h1>
<p>It is incomplete or from another workspace. Copy the whole link from the email.</p>`,
}
