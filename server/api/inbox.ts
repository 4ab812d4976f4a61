import { z } from 'zod'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { withAliases } from '../input-types.ts'

const markRead = accepts({
  body: {
    ids: withAliases(z.array(z.string()).optional(), 'id', 'messageId', 'messageIds', 'messages', 'mentions'),
  },
})

export const inboxRoutes = (inbox: Workspace['inbox']['mentions']): Routes =>
  newRoutes()
    .purpose('Mark mentions as read, some or all')
    .answers(z.object({ read: z.int() }))
    .refuses('forbidden')
    .post('/api/inbox/read', markRead, async (ctx) => {
      const { ids } = await markRead.fields(ctx)
      ctx.body = { read: await inbox.markRead(ctx.state.caller, ids) }
    })
