import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { optional, readFields, texts, withAliases } from '../request-fields.ts'

/** Marks mentions as read: those of the messages, posts and comments that are named, or all that are unread. */
export const inboxRoutes = (inbox: Workspace['inbox']['mentions']): Routes =>
  newRoutes()
    .purpose('Mark mentions as read, some or all')
    .post('/api/inbox/read', accepts({ body: 'json' }), async (ctx) => {
      const { ids } = await readFields(ctx, {
        ids: withAliases(optional(texts), 'id', 'messageId', 'messageIds', 'messages', 'mentions'),
      })
      ctx.body = { read: await inbox.markRead(ctx.state.caller, ids) }
    })
