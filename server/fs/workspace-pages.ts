import { requireScope } from '../../core/access/permissions.ts'
import { mentionsPage } from '../../core/inbox/mentions-page.ts'
import type { Usage } from '../../core/usage/usage.ts'
import { usagePage } from '../../core/usage/usage-page.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Routes } from '../context.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

/** `docs/interface.md#generated-files`. Never reveals the key itself. */
export const meRoutes = (workspace: Pick<Workspace, 'identity'>): Routes =>
  generatedFile(
    '/me/api-key',
    'Read which member your key acts as',
    (ctx) => {
      const { member, scopes } = ctx.state.caller
      const lines = [
        `memberId: ${member.id}`,
        `name: ${member.name}`,
        `type: ${member.type}`,
        `role: ${member.role}`,
        `workspace: ${workspace.identity.slug}`,
        `scopes: ${[...scopes].join(' ')}`,
      ]
      sendGenerated(ctx, `${lines.join('\n')}\n`, 'text/plain')
    },
    { type: 'text/plain' },
  )

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

export const usageRoutes = (usage: Usage): Routes =>
  generatedFile(
    '/audit/usage.md',
    'Read the usage report; for owners and admins',
    async (ctx) => {
      sendGenerated(ctx, usagePage(await usage.report(ctx.state.caller)), 'text/markdown')
    },
    { refuses: ['forbidden'] },
  )
