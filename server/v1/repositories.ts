import { z } from 'zod'
import { requireForge } from '../../core/pulls/forge-fields.ts'
import type { Repositories } from '../../core/repositories/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { mustBe, refusalBy, refusedAs } from '../input-types.ts'
import { repository as repositoryModel } from '../schemas/projects.ts'

const repositories = '/v1/projects/:project/repositories'

const forge = refusedAs(
  z.strictObject({
    api: z.string(),
    owner: z.string(),
    name: z.string(),
    token: z.string().nullable().optional(),
  }),
  mustBe(z.looseObject({}), 'an object with the fields api, owner, name and token'),
  (fields) => refusalBy(() => requireForge(fields)),
)

const linkRepository = accepts({
  body: { dir: z.string(), source: z.string(), forge: forge.optional() },
})

export const repositoryRoutes = (service: Repositories): Routes =>
  newRoutes()
    .purpose('List a project’s repositories, and how fresh they are')
    .answers(z.object({ repositories: z.array(repositoryModel) }))
    .refuses('forbidden', 'not_found')
    .get(repositories, (ctx) => {
      ctx.body = { repositories: service.list(ctx.state.caller, ctx.params.project!) }
    })
    .purpose('Link a repository; responds once it is cloned')
    .answers(z.object({ repository: repositoryModel }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(repositories, linkRepository, async (ctx) => {
      const fields = await linkRepository.fields(ctx)
      const repository = await service.link(ctx.state.caller, ctx.params.project!, fields)
      ctx.status = 201
      ctx.body = { repository }
    })
    .purpose('Unlink a repository')
    .answers(z.object({ dir: z.string(), deleted: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(`${repositories}/:dir`, async (ctx) => {
      const { project, dir } = ctx.params
      await service.unlink(ctx.state.caller, project!, dir!)
      ctx.body = { dir, deleted: true }
    })
