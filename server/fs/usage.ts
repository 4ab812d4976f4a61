import type { Usage } from '../../core/usage/usage.ts'
import { usagePage } from '../../core/usage/usage-page.ts'
import type { Routes } from '../context.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

export const usageRoutes = (usage: Usage): Routes =>
  generatedFile(
    '/audit/usage.md',
    'Read the usage report; for owners and admins',
    async (ctx) => {
      sendGenerated(ctx, usagePage(await usage.report(ctx.state.caller)), 'text/markdown')
    },
    { refuses: ['forbidden'] },
  )
