import type { PublishedSkills } from '../../core/skills/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { eTag, readConditions, revision } from '../described-headers.ts'
import { skillFolder, skillList } from '../schemas/tree.ts'
import { isNotModified } from './preconditions.ts'

const folder = '/projects/:project/skills'

export const skillRoutes = (skills: PublishedSkills): Routes =>
  newRoutes()
    .purpose('List the published skills')
    .answers(skillList)
    .refuses('forbidden', 'not_found')
    .get(folder, async (ctx) => {
      ctx.body = await skills.list(ctx.state.caller, ctx.params.project!)
    })
    .purpose('List a skill’s files')
    .answers(skillFolder)
    .refuses('forbidden', 'not_found')
    .get(`${folder}/:name`, async (ctx) => {
      const { project, name } = ctx.params
      ctx.body = await skills.folder(ctx.state.caller, project!, name!)
    })
    .purpose('Read a file of a skill')
    .answers('application/octet-stream')
    .answersHeaders({ ...eTag, ...revision })
    .refuses('forbidden', 'not_found', 'too_large')
    .get(`${folder}/:name/*path`, accepts({ headers: readConditions }), (ctx) => {
      const { project, name, path } = ctx.params
      const { bytes, type, revision } = skills.file(ctx.state.caller, project!, name!, path!)
      ctx.set({
        'Cache-Control': 'private, no-cache',
        ETag: `"${revision}"`,
        'X-Service-Revision': revision,
        // One member's file must not run in another's browser.
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
      })
      if (isNotModified(ctx.req.headers['if-none-match'], revision)) {
        ctx.status = 304
        return
      }
      ctx.set('Content-Type', type.startsWith('text/') ? `${type}; charset=utf-8` : type)
      ctx.body = bytes
    })
