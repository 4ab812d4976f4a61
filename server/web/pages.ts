import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Topic } from '../../core/change-topics/change-topics.ts'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { PageKind } from '../client/page-kind.ts'
import type { Context } from '../context.ts'
import type { OriginCheck } from '../same-origin.ts'
import { acceptsHtml } from './accepts-html.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { homePath } from './local-path.ts'
import { localizeTimes, timeReaderOf } from './reader-times.ts'
import { sidebar } from './sidebar.ts'

export interface Page {
  status?: number
  title: string
  content: Html
  /** The page's own path, if it was requested by another. */
  path?: string
  /** By default nothing updates the page. */
  follows?: PageSubscriptions
  /** By default the page has only the script of all pages. */
  kind?: PageKind
  isWide?: boolean
  /** Keeps the page out of the browser's cache: it shows a secret once, or contains a text to edit. */
  isFetchedAnew?: true
  /** Permits styles that the page's script adds. */
  styleNonce?: string
}

interface PageSubscriptions {
  /** Ids of rooms, projects and documents; `*` for every event. */
  events?: readonly string[]
  /** Changes that are not events, such as `room:<id>`. */
  topics?: readonly Topic[]
}

/** The state before a page was rendered: its browser follows everything after it. */
interface LiveState {
  cursor: number
  /** Of `ChangeTopics`. */
  sequence: number
}

/** A page without a sidebar, such as for visitors who are not signed in. */
export interface StandalonePage {
  status?: number
  title: string
  content: Html
  isWide?: boolean
  usesPasskeys?: boolean
}

/** Pages load and send only from and to this server, and cannot be embedded. */
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
  constructor(
    private readonly workspace: Pick<
      Workspace,
      'clock' | 'directory' | 'events' | 'identity' | 'inbox' | 'maintenance' | 'rooms'
    >,
    private readonly assets: Assets,
    private readonly site: Pick<OriginCheck, 'isSecureContext'>,
  ) {}

  /** Must be read before anything that the page shows. */
  liveState(): LiveState {
    const { live, changeTopics } = this.workspace.events
    return { cursor: live.head, sequence: changeTopics.sequence }
  }

  show(ctx: Context, session: OpenSession, moment: LiveState, page: Page): void {
    this.send(ctx, page.status, this.frame(page.path ?? ctx.path, session, moment, page), page.styleNonce)
    // Lets Back and Forward show the page at once. Signing out clears it.
    if (ctx.status === 200 && !page.isFetchedAnew && this.site.isSecureContext(ctx))
      ctx.set('Cache-Control', 'private, no-cache')
  }

  /** Sends only the sidebar, or 304 if the page already has it. */
  showNavigation(ctx: Context, session: OpenSession, at: string): void {
    const shown = sidebar(this.workspace, session, at)
    const tag = `"${createHash('sha256').update(withoutCsrfToken(shown.text)).digest('hex').slice(0, 20)}"`
    ctx.set('ETag', tag)
    if (ctx.get('if-none-match').replace(/^W\//, '') === tag) this.send(ctx, 304, html``)
    else this.send(ctx, 200, shown)
  }

  showPart(ctx: Context, part: Html): void {
    this.send(ctx, 200, part)
  }

  showStandalone(ctx: Context, page: StandalonePage): void {
    this.send(ctx, page.status, this.standaloneFrame(page))
  }

  /** Shows an error as a page. @returns false unless a person requested it */
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
      // The cause of the failure may affect the frame, too.
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
      // A page's URL can be a secret, such as a sign-in link, but its forms must send their origin.
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = localizeTimes(text, timeReaderOf(ctx, this.workspace))
  }

  private frame(path: string, session: OpenSession, moment: LiveState, page: Page): Html {
    const { member } = session.caller
    const follows = { events: page.follows?.events ?? [], topics: page.follows?.topics ?? [] }
    return html`${this.head(page, session)}
<body class="app" data-follows="${JSON.stringify(follows)}" data-cursor="${moment.cursor}" data-touched="${moment.sequence}" \
data-member="${member.id}">
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<button class="menu" popovertarget="navigation" aria-label="Menu">${icon('menu')}</button>
<a class="home" href="${homePath}"><bdi>${this.workspace.identity.name}</bdi></a>
<form class="finder" role="search" action="/search"><label class="unseen" for="finder">Search</label>
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
</body>
</html>
`
  }

  /** Shown until lists and search are complete; the page then updates. */
  private ingestNotice(): Html | false {
    const progress = this.workspace.maintenance.ingestProgress()
    if (progress === null || progress.total === 0) return false
    const [done, total] = [progress.done, progress.total].map((count) => count.toLocaleString('en'))
    return html`<p class="notice" id="ingesting" data-live \
role="status">Reading files: ${done} of ${total}. Lists and search are incomplete until this is done.</p>`
  }

  private standaloneFrame({ title, content, isWide, usesPasskeys }: StandalonePage): Html {
    return html`${this.head({ title })}
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

  private head({ title, kind }: Pick<Page, 'title' | 'kind'>, session?: OpenSession): Html {
    return html`<!doctype html>
<html lang="en"${kind && html` data-page-kind="${kind}"`}>
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

/** Makes the browser continue by GET, whatever its method. @param path of this server */
export function redirect(ctx: Context, path: string): undefined {
  ctx.status = 303
  ctx.set({ Location: path, 'Cache-Control': 'no-store' })
  ctx.body = ''
}
