import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { RouteContext } from '../context.ts'
import { queryText } from '../request-fields.ts'

/** Another value is refused with the views that there are. */
export const viewParameter = {
  view: z
    .string()
    .optional()
    .meta({ enum: ['blocks', 'outline'] }),
}

/** The view that a request asks for. @throws WorkspaceError `bad_request` listing the views, for any other */
export function requestedView(ctx: RouteContext): 'blocks' | 'outline' | undefined {
  const view = queryText(ctx, 'view')
  if (view === undefined || view === 'blocks' || view === 'outline') return view
  throw new WorkspaceError(
    'bad_request',
    `There is no view ${JSON.stringify(view.slice(0, 40))}. The views are: blocks, outline.`,
  )
}
