import type { AskPages } from '../../core/asks/ask-pages.ts'
import type { Routes } from '../context.ts'
import { pageUrl } from '../described-headers.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

export const askRoutes = (askPages: AskPages): Routes =>
  generatedFile(
    '/projects/:project/asks.md',
    'Read the open and claimed asks',
    (ctx) => {
      const { text, url } = askPages.page(ctx.state.caller, ctx.params.project!)
      ctx.set('X-Service-Url', url)
      sendGenerated(ctx, text, 'text/markdown')
    },
    { answersHeaders: pageUrl, refuses: ['forbidden', 'not_found'] },
  )
