import type { Caller } from '../../core/access/member.ts'
import { hasScope } from '../../core/access/permissions.ts'
import { type OrientationData, orientationPage } from '../../core/orientation/orientation-page.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../context.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

const maxAsks = 10

export function orientationRoutes(workspace: Workspace, publicUrl: string): Routes {
  const factsFor = (caller: Caller): OrientationData => ({
    publicUrl,
    workspaceName: workspace.identity.name,
    caller,
    projects: hasScope(caller, 'projects:read')
      ? workspace.directory.projects.readableBy(caller.member).map(({ id, slug, name, archivedMs }) => ({
          slug,
          name,
          postCount: workspace.documents.lists.postCount(id),
          isArchived: archivedMs !== null,
        }))
      : null,
    rooms: hasScope(caller, 'rooms:read') ? workspace.rooms.rooms.files(caller) : null,
    mentions: hasScope(caller, 'mentions:read') ? workspace.inbox.mentions.unread(caller) : null,
    asks: hasScope(caller, 'asks:read') ? workspace.asks.pages.claimable(caller, maxAsks) : null,
  })
  const routes = newRoutes()
  for (const path of ['/', '/README.md']) {
    const page = generatedFile(path, 'Read where you are and what you can do next', (ctx) =>
      sendGenerated(ctx, orientationPage(factsFor(ctx.state.caller)), 'text/markdown'),
    )
    routes.use(page.routes())
  }
  return routes
}
