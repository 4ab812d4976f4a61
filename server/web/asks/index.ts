import type { Caller } from '../../../core/access/member.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import { html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import type { PageDeps } from '../signed-in.ts'
import { askList } from './ask-list.ts'
import { newAskForm } from './new-ask.ts'

export const askPageRoutes = ({ workspace, page }: PageDeps): Routes =>
  newRoutes()
    .purpose('Page: a project’s asks')
    .get(
      '/projects/:slug/asks',
      page((ctx, { caller }) => asksPage(workspace, ctx, caller)),
    )

/** Closed asks shown. `?over=all` shows as many as a list can hold. */
const recentClosedShown = 20
const maxClosedShown = 100

async function asksPage(workspace: Workspace, ctx: RouteContext, caller: Caller): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const {
    asks: { asks },
  } = workspace
  const inState = (state: 'open' | 'claimed' | 'resolved' | 'cancelled', limit = maxClosedShown) =>
    asks.list(caller, { project: project.slug, state, limit })
  const closedLimit = ctx.query.over === 'all' ? maxClosedShown : recentClosedShown
  const [open, claimed, resolved, cancelled] = [
    inState('open'),
    inState('claimed'),
    inState('resolved', closedLimit),
    inState('cancelled', closedLimit),
  ]
  const closed = [...resolved.asks, ...cancelled.asks].sort((one, other) => other.updatedAt - one.updatedAt)
  const hasMore = (resolved.nextCursor ?? cancelled.nextCursor) !== null
  const resolvers = new Map(
    workspace.asks.pages.recentlyResolved(project).map(({ id, resolvedBy }) => [id, resolvedBy ?? '']),
  )
  const reader = { workspace, caller, project, resolvers }
  const shownIds = [...open.asks, ...claimed.asks, ...closed].map(({ _id }) => _id)
  const unread = workspace.inbox.records.inPlaces(caller, shownIds)
  return {
    title: `Asks · ${project.name}`,
    content: html`${projectHeader(project, 'asks')}
<div class="page-head"><h1>Asks</h1></div>
${project.archivedMs === null && newAskForm(workspace, caller, project)}
<div id="asks" data-live data-module="mark-read" data-unread="${unread.join(' ')}">
${await askList(reader, 'Open', open.asks)}
${open.asks.length === 0 && nothingOpen}
${claimed.asks.length > 0 && (await askList(reader, 'Claimed', claimed.asks))}
${closed.length > 0 && (await askList(reader, 'Closed', closed))}
${hasMore && closedLimit < maxClosedShown && html`<p><a href="?over=all">Show more closed asks</a></p>`}
</div>`,
    follows: { events: [project.id], topics: [`project:${project.id}`] },
  }
}

const nothingOpen = html`<div class="empty"><p>No open asks.</p>
<p>Request work that someone can claim, or ask a question with two to four options.</p></div>`
