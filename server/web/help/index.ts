import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import { Html, html } from '../html.ts'
import type { PageDeps } from '../signed-in.ts'
import { apiHelpRoutes, type ShowHelp } from './api/index.ts'
import { apiHelpPath } from './api/paths.ts'
import { type HelpText, helpPath, helpTexts } from './texts.ts'

/** Shows the documentation, which contains nothing of the workspace, without a sign-in. */
export function helpRoutes(
  { workspace, pages, browserSessions }: PageDeps,
  description: () => object,
): Routes {
  let texts: Map<string, HelpText> | null = null
  /** The documentation does not change while the program runs. */
  const rendered = new Map<string, Promise<string>>()

  function render(path: string, { body, pageOf }: HelpText): Promise<string> {
    const known = rendered.get(path)
    if (known) return known
    const rendering = workspace.rendering.foreignFiles.html(Buffer.from(body), pageOf)
    rendered.set(path, rendering)
    rendering.catch(() => rendered.delete(path))
    return rendering
  }

  const show: ShowHelp = (ctx, { title, trail, content }) => {
    const session = browserSessions.find(ctx)
    const moment = pages.liveState()
    const isFirst = ctx.path.replace(/\/$/, '') === helpPath
    const page = {
      title: `${title} · Help`,
      content: html`${!isFirst && html`<p class="trail"><a href="${helpPath}">Help</a> / ${trail}</p>`}
<div class="page-head"><h1>${title}</h1></div>
<article class="prose sheet">${content}</article>`,
    }
    if (session) pages.show(ctx, session, moment, page)
    else pages.showStandalone(ctx, { ...page, isWide: true })
  }

  async function showText(ctx: RouteContext, path: string): Promise<void> {
    texts ??= helpTexts()
    const text = texts.get(path)
    if (!text) throw new WorkspaceError('not_found', 'There is no such documentation page.')
    const body = new Html(await render(path, text))
    const interfaceLink = html`<p><a href="${apiHelpPath}">Every request with its parameters and response</a></p>`
    const content = html`${body}${path === helpPath && interfaceLink}`
    show(ctx, { title: text.title, trail: html``, content })
  }

  return newRoutes()
    .purpose('Page: the documentation; needs no sign-in')
    .get(helpPath, (ctx) => showText(ctx, helpPath))
    .use(apiHelpRoutes(description, show).routes())
    .purpose('Page: one page of the documentation')
    .get(`${helpPath}/*name`, (ctx) => showText(ctx, `${helpPath}/${ctx.params.name!.replace(/\/$/, '')}`))
}
