import type { Workspace } from '../../core/workspace.ts'
import { newRoutes, type Routes } from '../context.ts'
import { eventRoutes } from './events.ts'
import { onboardRoutes } from './onboard.ts'
import { presenceRoutes } from './presence.ts'

/** The JSON endpoints under `/v1`, put together of one file per noun. Each file names its paths in full. */
export const v1Routes = (
  workspace: Workspace,
  options: { trustProxy: boolean; stopping: AbortSignal },
): Routes =>
  [
    eventRoutes(workspace.liveEvents, options.stopping),
    presenceRoutes(workspace.documents),
    onboardRoutes(workspace, options),
  ].reduce((v1, part) => v1.use(part.routes()), newRoutes())
