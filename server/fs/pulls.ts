import type { Pulls } from '../../core/pulls/pulls.ts'
import { newRoutes, type Routes } from '../context.ts'
import { pageUrl } from '../described-headers.ts'
import { pullList } from '../schemas/repositories.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

const pulls = '/projects/:project/pulls'

export const pullRoutes = (service: Pulls): Routes =>
  newRoutes()
    .purpose('List pull requests, open ones first')
    .answers(pullList)
    .refuses('forbidden', 'not_found')
    .get(pulls, async (ctx) => {
      ctx.body = await service.list(ctx.state.caller, ctx.params.project!)
    })
    .use(
      generatedFile(
        `${pulls}/:number`,
        'Read a pull request with its diff',
        async (ctx) => {
          const { project, number } = ctx.params
          const { text, url } = await service.page(ctx.state.caller, project!, number!)
          ctx.set('X-Service-Url', url)
          sendGenerated(ctx, text, 'text/markdown')
        },
        { answersHeaders: pageUrl, refuses: ['forbidden', 'not_found'] },
      ).routes(),
    )
