import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { mapPage } from './map.ts'
import { planPage } from './plan.ts'

export const planPageRoutes = (
  workspace: Pick<Workspace, 'asks' | 'directory' | 'rendering'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: the plan, where the goal can be set')
    .get(
      '/projects/:slug/plan',
      page((ctx, { caller }) => planPage(workspace, caller, ctx.params.slug!)),
    )
    .purpose('Page: the map of questions, drawn and listed')
    .get(
      '/projects/:slug/map',
      page((ctx, { caller }) => mapPage(workspace, caller, ctx.params.slug!)),
    )
