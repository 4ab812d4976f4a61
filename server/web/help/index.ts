import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import { Html, html } from '../html.ts'
import type { PageDeps } from '../signed-in.ts'
import { type HelpText, helpPath, helpTexts } from './texts.ts'

/** The project's documentation, without a sign-in: it contains nothing of this workspace. */
export function helpRoutes({ workspace, pages, browserSessions }: PageDeps): Routes {
  let texts: Map<string, HelpText> | null = null
  /** The documentation does not change while the program runs: each page is rendered once. */
  const rendered = new Map<string, Promise<string>>()

  function render(path: string, { body, pageOf }: HelpText): Promise<string> {
    const known = rendered.get(path)
    if (known) return known
    const rendering = workspace.rendering.foreignFiles.html(Buffer.from(body), pageOf)
    rendered.set(path, rendering)
    rendering.catch(() => rendered.delete(path))
    return rendering
  }

  async function show(ctx: RouteContext, path: string): Promise<void> {
    texts ??= helpTexts()
    const text = texts.get(path)
    if (!text) throw new WorkspaceError('not_found', 'There is no such page of the documentation.')
    const session = browserSessions.find(ctx)
    const moment = pages.liveState()
    const page = {
      title: `${text.title} · Help`,
      content: html`${path !== helpPath && html`<p class="trail"><a href="${helpPath}">Help</a> /</p>`}
<div class="page-head"><h1>${text.title}</h1></div>
<article class="prose sheet">${new Html(await render(path, text))}</article>`,
    }
    if (session) pages.show(ctx, session, moment, page)
    else pages.showStandalone(ctx, { ...page, isWide: true })
  }

  return newRoutes()
    .purpose('Page: the documentation; needs no sign-in')
    .get(helpPath, (ctx) => show(ctx, helpPath))
    .purpose('Page: one page of the documentation')
    .get(`${helpPath}/*name`, (ctx) => show(ctx, `${helpPath}/${ctx.params.name!.replace(/\/$/, '')}`))
}
