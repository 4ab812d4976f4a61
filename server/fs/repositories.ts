import type { Pulls } from '../../core/pulls/pulls.ts'
import type { Repositories } from '../../core/repositories/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { eTag, pageUrl, readConditions } from '../described-headers.ts'
import { pullList, repositoryFolder, repositoryList } from '../schemas/repositories.ts'
import { generatedFile } from './generated.ts'
import { isNotModified } from './preconditions.ts'
import { sendGenerated } from './responses.ts'

const folder = '/projects/:project/library/repositories'

export function repositoryRoutes(repositories: Repositories): Routes {
  const send = (ctx: RouteContext) => sendAt(ctx, repositories)
  return newRoutes()
    .purpose('List the linked code repositories')
    .answers(repositoryList)
    .refuses('forbidden', 'not_found')
    .get(folder, (ctx) => {
      ctx.body = repositories.folder(ctx.state.caller, ctx.params.project!)
    })
    .use(
      generatedFile(`${folder}/:dir`, 'List the files of a repository', send, {
        type: 'application/octet-stream',
        listing: repositoryFolder,
        headers: readConditions,
        answersHeaders: eTag,
        refuses: ['forbidden', 'not_found', 'too_large'],
      }).routes(),
    )
    .use(
      generatedFile(`${folder}/:dir/*path`, 'Read a file or folder of a repository', send, {
        type: 'application/octet-stream',
        listing: repositoryFolder,
        headers: readConditions,
        answersHeaders: eTag,
        refuses: ['forbidden', 'not_found', 'too_large'],
      }).routes(),
    )
}

async function sendAt(ctx: RouteContext, repositories: Repositories): Promise<void> {
  const { project, dir, path = '' } = ctx.params
  const found = await repositories.open(ctx.state.caller, project!, dir!, path.replace(/\/$/, ''))
  ctx.set('Cache-Control', 'private, no-cache')
  if (found.kind === 'folder') {
    ctx.body = found.listing
    return
  }
  ctx.set('ETag', `"${found.objectId}"`)
  if (isNotModified(ctx.req.headers['if-none-match'], found.objectId)) {
    ctx.status = 304
    return
  }
  const { bytes, isText } = await found.read()
  const textType = /\.(?:md|markdown)$/i.test(path) ? 'text/markdown' : 'text/plain'
  ctx.set('Content-Type', isText ? `${textType}; charset=utf-8` : 'application/octet-stream')
  // A repository's author is not trusted: nothing of theirs may run on this server's origin.
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Content-Security-Policy', "sandbox; default-src 'none'")
  ctx.body = bytes
}

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
