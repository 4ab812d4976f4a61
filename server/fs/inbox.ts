import { requireScope } from '../../core/access/permissions.ts'
import { mentionsPage } from '../../core/inbox/mentions-page.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Routes } from '../context.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

export const inboxRoutes = (workspace: Pick<Workspace, 'inbox'>): Routes =>
  generatedFile(
    '/inbox/mentions.md',
    'Read your unread mentions',
    (ctx) => {
      const { caller } = ctx.state
      requireScope(caller, 'mentions:read')
      sendGenerated(ctx, mentionsPage(workspace.inbox.mentions.unread(caller)), 'text/markdown')
    },
    { refuses: ['forbidden'] },
  )
