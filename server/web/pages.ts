import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Topic } from '../../core/touches/touches.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Context } from '../context.ts'
import type { OriginCheck } from '../same-origin.ts'
import { acceptsHtml } from './accepts-html.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { homePath } from './local-path.ts'
import { localizeTimes, timeReaderOf } from './reader-times.ts'
import { sidebar } from './sidebar.ts'

/** A page for signed-in members. */
export interface Page {
  status?: number
  title: string
  content: Html
  /** Where the sidebar leads to it, if the page was asked for by another address. */
  path?: string
  /** Default none: nothing that happens concerns the page. */
  follows?: PageSubscriptions
  isWide?: boolean
  /** Loads the script for passkeys, which other pages do not need. */
  usesPasskeys?: boolean
  /** The browser keeps no copy: its script shows a secret once, such as a new key, or it holds a text to be edited. */
  isFetchedAnew?: true
  /** Styles that the page's script adds, and that carry this, are let in; nobody can know it beforehand. */
  styleNonce?: string
}

/** What a page shows, so that its browser knows when to update it. */
interface PageSubscriptions {
  /** Ids of rooms, projects and documents, all of whose events concern the page; `*`: every event does. */
  events?: readonly string[]
  /** What events do not tell (`core/touches/touches.ts`), such as `room:<id>`. */
  touches?: readonly Topic[]
}

/** The state of the workspace before a page was rendered: the browser is notified of everything after it. */
interface LiveState {
  cursor: number
  touches: number
}

/** A page without navigation, such as for visitors who are not signed in. */
export interface StandalonePage {
  status?: number
  title: string
  content: Html
  isWide?: boolean
  /** Loads the script for passkeys. */
  usesPasskeys?: boolean
}

/** Pages run, load and send only what is from here, and cannot be embedded. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "manifest-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const statusTitles: Record<number, string> = {
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
}

export class Pages {
  private readonly workspace: Workspace
  private readonly assets: Assets
  private readonly site: Pick<OriginCheck, 'isSecureContext'>

  constructor(workspace: Workspace, assets: Assets, site: Pick<OriginCheck, 'isSecureContext'>) {
    this.workspace = workspace
    this.assets = assets
    this.site = site
  }

  /** To be asked before anything of a page is read. */
  liveState(): LiveState {
    const {
      events: { live: liveEvents, changeTopics: touches },
    } = this.workspace
    return { cursor: liveEvents.head, touches: touches.sequence }
  }

  show(ctx: Context, session: OpenSession, moment: LiveState, page: Page): void {
    this.send(ctx, page.status, this.frame(page.path ?? ctx.path, session, moment, page), page.styleNonce)
    // So that Back and Forward show it at once. The browser forgets it when it is told to, as on signing out.
    if (ctx.status === 200 && !page.isFetchedAnew && this.site.isSecureContext(ctx))
      ctx.set('Cache-Control', 'private, no-cache')
  }

  /** Shows the way around alone, for a page whose own matter has not changed; nothing if the page has it already. */
  showNavigation(ctx: Context, session: OpenSession, at: string): void {
    const shown = sidebar(this.workspace, session, at)
    const tag = `"${createHash('sha256').update(withoutCsrfToken(shown.text)).digest('hex').slice(0, 20)}"`
    ctx.set('ETag', tag)
    if (ctx.get('if-none-match').replace(/^W\//, '') === tag) this.send(ctx, 304, html``)
    else this.send(ctx, 200, shown)
  }

  /** Shows a part of a page alone, for the script of an open one. */
  showPart(ctx: Context, part: Html): void {
    this.send(ctx, 200, part)
  }

  showStandalone(ctx: Context, page: StandalonePage): void {
    this.send(ctx, page.status, this.standaloneFrame(page))
  }

  /** Answers a person where a program would get an error in JSON. @returns false where no person asks */
  showFailure(
    ctx: Context,
    failure: { status: number; message: string; requestId: string },
    findSession: () => OpenSession | null,
  ): boolean {
    if (!acceptsHtml(ctx)) return false
    const { status, message, requestId } = failure
    const title = statusTitles[status] ?? STATUS_CODES[status] ?? 'Something went wrong'
    const isNowhere = status === 404 && ((ctx.matched ?? []) as unknown[]).length === 0
    const page = {
      status,
      title,
      content: html`<h1>${title}</h1>
<p>${isNowhere ? 'There is no page at this address. It may have been mistyped, or the page may have been renamed.' : message}</p>
<p class="aside"><a href="${homePath}">Go to the home page</a> · <small>${requestId}</small></p>`,
    }
    try {
      const session = findSession()
      if (session) this.show(ctx, session, this.liveState(), page)
      else this.showStandalone(ctx, page)
    } catch {
      // What has failed may be what the frame is made of.
      this.showStandalone(ctx, page)
    }
    return true
  }

  private send(ctx: Context, status: number | undefined, { text }: Html, styleNonce?: string): void {
    ctx.status = status ?? 200
    ctx.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        styleNonce === undefined
          ? contentSecurityPolicy
          : contentSecurityPolicy.replace("style-src 'self'", `$& 'nonce-${styleNonce}'`),
      // A page's address can be a secret, such as a link to sign in with. Its forms must say where they come from.
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = localizeTimes(text, timeReaderOf(ctx, this.workspace))
  }

  private frame(path: string, session: OpenSession, moment: LiveState, page: Page): Html {
    const { member } = session.caller
    const follows = { events: page.follows?.events ?? [], touches: page.follows?.touches ?? [] }
    return html`${this.head(page.title, session)}
<body class="app" data-follows="${JSON.stringify(follows)}" data-cursor="${moment.cursor}" data-touched="${moment.touches}" \
data-member="${member.id}">
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<button class="menu" popovertarget="navigation" aria-label="Menu">${icon('menu')}</button>
<a class="home" href="${homePath}"><bdi>${this.workspace.identity.name}</bdi></a>
<form class="finder" role="search" action="/search" data-module="finder"><label class="unseen" for="finder">Search</label>
<input id="finder" name="q" type="search" placeholder="Search" autocomplete="off" aria-keyshortcuts="/ Control+K"></form>
<a class="me" href="/account"><bdi>${member.name}</bdi></a>
</header>
${sidebar(this.workspace, session, path)}
<main id="main"${page.isWide && html` class="wide"`}>
${this.ingestNotice()}
${page.content}
<noscript><p class="notice">Most changes require JavaScript. You can read and comment without it.</p></noscript>
</main>
<div id="said" role="status"></div>
${page.usesPasskeys && html`<script type="module" src="${this.assets.pathOf('passkeys')}"></script>`}
</body>
</html>
`
  }

  /** Shown until lists and search are complete; the page is rendered again then. */
  private ingestNotice(): Html | false {
    const progress = this.workspace.maintenance.ingestProgress()
    if (progress === null || progress.total === 0) return false
    const [done, total] = [progress.done, progress.total].map((count) => count.toLocaleString('en'))
    return html`<p class="notice" id="ingesting" data-live \
role="status">Reading files: ${done} of ${total}. Lists and search are incomplete until this is done.</p>`
  }

  private standaloneFrame({ title, content, isWide, usesPasskeys }: StandalonePage): Html {
    return html`${this.head(title)}
<body class="gate">
<header>
<a href="${homePath}"><bdi>${this.workspace.identity.name}</bdi></a>
</header>
<main${isWide && html` class="wide"`}>
${content}
</main>
${usesPasskeys && html`<script type="module" src="${this.assets.pathOf('signin')}"></script>`}
</body>
</html>
`
  }

  private head(title: string, session?: OpenSession): Html {
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
${session && html`<meta name="csrf-token" content="${session.csrfToken}">`}
<title>${title} · ${this.workspace.identity.name}</title>
<link rel="icon" href="/icons/192.png">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/icons/192.png">
<link rel="stylesheet" href="${this.assets.pathOf('style')}">
${session && html`<script type="module" src="${this.assets.pathOf('app')}"></script>`}
</head>`
  }
}

const withoutCsrfToken = (text: string): string => text.replace(/(name="csrf" value=")[^"]*/g, '$1')

/** Leads a browser on, by GET, whatever it has sent. @param path of this server */
export function redirect(ctx: Context, path: string): void {
  ctx.status = 303
  ctx.set({ Location: path, 'Cache-Control': 'no-store' })
  ctx.body = ''
}
