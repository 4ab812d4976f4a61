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
