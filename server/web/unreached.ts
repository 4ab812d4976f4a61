import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Unreached } from '../../core/inbox/unreached.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../context.ts'
import type { ServerParts } from '../parts.ts'
import { readFields } from '../request-fields.ts'
import { type Html, html } from './html.ts'
import { requireCaller } from './signed-in.ts'

const unsentText = {
  body: z.string(),
  room: z.string().optional(),
  post: z.string().optional(),
  document: z.string().optional(),
}

/** Asked while a message or comment is being written. */
export const unreachedRoutes = (
  workspace: Pick<Workspace, 'comments' | 'rooms'>,
  { browserSessions }: Pick<ServerParts, 'browserSessions'>,
): Routes =>
  newRoutes()
    .purpose('List the mentioned members whom a text would not notify, for an open page')
    .post('/unreached', async (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to see who will be notified.')
      const { body, room, post, document } = await readFields(ctx, unsentText)
      ctx.set('Cache-Control', 'no-store')
      if (room !== undefined) ctx.body = { unreached: workspace.rooms.messages.unreached(caller, room, body) }
      else if (post !== undefined)
        ctx.body = { unreached: await workspace.comments.posts.unreached(caller, post, body) }
      else if (document !== undefined)
        ctx.body = { unreached: await workspace.comments.documents.unreached(caller, document, body) }
      else throw new WorkspaceError('bad_request', 'The body must name a room, a post or a document.')
    })

/** Lists for the author which mentions notify nobody. */
export const unreachedNotice = (unreached: readonly Unreached[], isPublished: boolean): Html | false =>
  unreached.length > 0 &&
  html`<p class="notice warn unreached" id="unreached" \
role="status">${
    isPublished
      ? 'Some members mentioned in this post were not notified.'
      : 'Some members mentioned in this draft will not be notified.'
  } ${unreached.map(({ reason }) => `${reason} `)}</p>`
