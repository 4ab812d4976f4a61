import { STATUS_CODES } from 'node:http'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Context } from '../context.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'
import { homePath } from './local-path.ts'
import { wantsPage } from './wants-page.ts'

export interface Page {
  /** Default 200. */
  status?: number
  /** Of the window, without the workspace's name. */
  title: string
  /** What stands in `<main>`. */
  content: Html
  /** Whose page it is; left out where nobody is signed in. */
  session?: OpenSession | null
}

/** No page runs, loads or sends anything that is not from here, nor stands within another. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** What all pages have in common: frame, headers, stylesheet. */
export class Pages {
  private readonly workspaceName: string
  private readonly assets: Assets

  constructor(workspaceName: string, assets: Assets) {
    this.workspaceName = workspaceName
    this.assets = assets
  }

  show(ctx: Context, page: Page): void {
    ctx.status = page.status ?? 200
    ctx.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': contentSecurityPolicy,
      // A page's address can be a secret, such as a link to sign in with. Its forms must say where they come from.
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = this.frame(page).text
  }

  /** Answers a person where a program would get an error in JSON. @returns false where no person asks */
  showFailure(ctx: Context, failure: { status: number; message: string; requestId: string }): boolean {
    if (!wantsPage(ctx)) return false
    const { status, message, requestId } = failure
    const title = STATUS_CODES[status] ?? 'It did not work'
    this.show(ctx, {
      status,
      title,
      content: html`<h1>${title}</h1>
<p>${message}</p>
<p class="aside"><a href="${homePath}">To the beginning</a> · <small>${requestId}</small></p>`,
    })
    return true
  }

  private frame({ title, content, session }: Page): Html {
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${session && html`<meta name="csrf-token" content="${session.csrfToken}">`}
<title>${title} · ${this.workspaceName}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${this.assets.pathOf('style.css')}">
</head>
<body>
<header>
<a class="home" href="${homePath}"><bdi>${this.workspaceName}</bdi></a>
${session && accountOf(session)}
</header>
<main>
${content}
</main>
</body>
</html>
`
  }
}

const accountOf = (session: OpenSession): Html =>
  html`<nav aria-label="Account">
<a href="/account/sessions"><bdi>${session.caller.member.name}</bdi></a>
<form method="post" action="/signout">${csrfField(session)}<button class="quiet">Sign out</button></form>
</nav>`

/** To stand in every form of somebody who is signed in. */
export const csrfField = ({ csrfToken }: OpenSession): Html =>
  html`<input type="hidden" name="csrf" value="${csrfToken}">`

/** Leads a browser on, by GET, whatever it has sent. @param path of this server */
export function leadTo(ctx: Context, path: string): void {
  ctx.status = 303
  ctx.set({ Location: path, 'Cache-Control': 'no-store' })
  ctx.body = ''
}
