import { projectRoles } from '../../core/access/project.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { boolean, oneOf, optional, queryText, readFields, text } from '../request-fields.ts'

const root = '/v1/projects'
const project = `${root}/:project`
const members = `${project}/members`

export const projectRoutes = ({ projects, deleted }: Workspace['projects']): Routes =>
  newRoutes()
    .purpose(
      'List your projects; for owners and admins with ?all=1 every project, with ?deleted=1 the deleted',
    )
    .get(root, accepts({ query: ['all', 'deleted'] }), (ctx) => {
      if (queryText(ctx, 'deleted') === '1') {
        ctx.body = { projects: deleted.list(ctx.state.caller) }
        return
      }
      ctx.body = { projects: projects.list(ctx.state.caller, { all: queryText(ctx, 'all') === '1' }) }
    })
    .purpose('Create a project')
    .post(root, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, { name: text, slug: optional(text) })
      const created = await projects.create(ctx.state.caller, fields)
      ctx.status = 201
      ctx.body = { project: created }
    })
    .purpose('Read a project')
    .get(project, (ctx) => {
      ctx.body = { project: projects.get(ctx.state.caller, ctx.params.project!) }
    })
    .purpose('Rename or archive a project')
    .patch(project, accepts({ body: 'json' }), async (ctx) => {
      const changes = await readFields(ctx, {
        name: optional(text),
        slug: optional(text),
        archived: optional(boolean),
      })
      ctx.body = { project: await projects.change(ctx.state.caller, ctx.params.project!, changes) }
    })
    .purpose('Delete a project with everything in it; it can be restored for 30 days')
    .delete(project, accepts({ query: ['name'] }), async (ctx) => {
      await deleted.delete(ctx.state.caller, ctx.params.project!, queryText(ctx, 'name'))
      ctx.body = { deleted: true }
    })
    .purpose('Restore a deleted project')
    .post(`${project}/_restore`, async (ctx) => {
      const restored = await deleted.restore(ctx.state.caller, ctx.params.project!)
      ctx.body = { project: projects.overview(ctx.state.caller, restored.id) }
    })
    .purpose('List the members of a project')
    .get(members, (ctx) => {
      ctx.body = { members: projects.members(ctx.state.caller, ctx.params.project!) }
    })
    .purpose('Add a member to a project, or change their role')
    .post(members, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, { memberId: text, role: optional(oneOf(projectRoles)) })
      const member = await projects.addMember(ctx.state.caller, ctx.params.project!, fields)
      ctx.status = 201
      ctx.body = { member }
    })
    .purpose('Remove a member from a project')
    .delete(`${members}/:memberId`, async (ctx) => {
      await projects.removeMember(ctx.state.caller, ctx.params.project!, ctx.params.memberId!)
      ctx.body = { removed: true }
    })
