import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { RouteContext } from '../context.ts'
import { queryText } from '../request-fields.ts'
import { html } from './html.ts'

/** Returns the change sequence that an open page shows. @throws WorkspaceError `bad_request` */
export function changesSince(ctx: RouteContext): number {
  const since = Number(queryText(ctx, 'since') || Number.NaN)
  if (Number.isSafeInteger(since) && since >= 0) return since
  throw new WorkspaceError('bad_request', 'since must be the sequence of the page or of its last changes.')
}

/** Makes the script of an open page fetch it whole. */
export const wholePage = html`<div id="changes" data-whole></div>`
