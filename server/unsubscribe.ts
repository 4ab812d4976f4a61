import { escapeHtml } from '../core/escape-html.ts'
import type { Workspace } from '../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from './context.ts'

const path = '/unsubscribe/:token'

/**
 * The way out of the mail, without a key: its token is in every mail. A POST ends it, by the button of the page or by a
 * mail program alone (RFC 8058), whatever its body holds; a GET changes nothing, since mail scanners follow every link.
 */
export const unsubscribeRoutes = ({
  name,
  unsubscribing,
}: Pick<Workspace, 'name' | 'unsubscribing'>): Routes =>
  newRoutes()
    .get(path, (ctx) => {
      const member = unsubscribing.memberOf(ctx.params.token!)
      if (!member) return answer(ctx, 404, noSuchLink)
      if (!member.emailNotifications) return answer(ctx, 200, ended(name))
      answer(ctx, 200, question(name, member.name))
    })
    .post(path, async (ctx) => {
      const isEnded = await unsubscribing.turnOff(ctx.params.token!)
      answer(ctx, isEnded ? 200 : 404, isEnded ? ended(name) : noSuchLink)
    })

const question = (workspace: string, member: string): string =>
  `<h1>No more mail?</h1>
<p>${escapeHtml(member)}, ${escapeHtml(workspace)} tells you by mail who mentions you there. Your inbox tells you still when the mail has ended.</p>
<form method="post"><button>End the mail</button></form>`

const ended = (workspace: string): string =>
  `<h1>The mail has ended</h1>
<p>${escapeHtml(workspace)} sends you no more mail. To have it again, set <code>emailNotifications</code> of your profile to <code>true</code>.</p>`

const noSuchLink = `<h1>This link is not known</h1>
<p>It is not complete, or it is from another workspace. Copy all of it from the mail.</p>`

function answer(ctx: RouteContext, status: number, content: string): void {
  ctx.status = status
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy':
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    // The address of the page is a key to it.
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Mail</title>
${content}
</html>
`
}
