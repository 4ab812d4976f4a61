import type { Plan } from '../../core/plan/plan.ts'
import type { Routes } from '../context.ts'
import { pageUrl } from '../described-headers.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

export const mapRoutes = (plan: Plan): Routes =>
  generatedFile(
    '/projects/:project/map.md',
    'Read the questions as a map',
    async (ctx) => {
      const { text, url } = await plan.map(ctx.state.caller, ctx.params.project!)
      ctx.set('X-Service-Url', url)
      sendGenerated(ctx, text, 'text/markdown')
    },
    { answersHeaders: pageUrl, refuses: ['forbidden', 'not_found'] },
  )
