import type { Repositories } from '../../core/repositories/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { type FieldType, optional, readFields, text } from '../request-fields.ts'

const repositories = '/v1/projects/:project/repositories'

const forge: FieldType<Record<string, unknown>> = {
  description: 'an object with the fields api, owner, name and token',
  isOf: (value): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const repositoryRoutes = (service: Repositories): Routes =>
  newRoutes()
    .purpose('List a project’s repositories, and how fresh they are')
    .get(repositories, (ctx) => {
      ctx.body = { repositories: service.list(ctx.state.caller, ctx.params.project!) }
    })
    .purpose('Link a repository; answers once it is cloned')
    .post(repositories, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, { dir: text, source: text, forge: optional(forge) })
      const repository = await service.link(ctx.state.caller, ctx.params.project!, fields)
      ctx.status = 201
      ctx.body = { repository }
    })
    .purpose('Unlink a repository')
    .delete(`${repositories}/:dir`, async (ctx) => {
      const { project, dir } = ctx.params
      await service.unlink(ctx.state.caller, project!, dir!)
      ctx.body = { dir, deleted: true }
    })
