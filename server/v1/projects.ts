import { z } from 'zod'
import { projectRoles } from '../../core/access/project.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { flag } from '../input-types.ts'
import { deletedProject, projectMember, project as projectModel } from '../schemas/projects.ts'

const root = '/v1/projects'
const project = `${root}/:project`
const members = `${project}/members`

const listProjects = accepts({
  query: {
    all: flag.describe('1: every project, for owners and admins'),
    deleted: flag.describe('1: the deleted, for owners and admins'),
  },
})
const createProject = accepts({ body: { name: z.string(), slug: z.string().optional() } })

const changeProject = accepts({
  body: { name: z.string().optional(), slug: z.string().optional(), archived: z.boolean().optional() },
})

const deleteProject = accepts({
  query: { name: z.string().describe('The name of the project, which confirms it').optional() },
})

const addProjectMember = accepts({
  body: { memberId: z.string(), role: z.enum(projectRoles).optional() },
})

export const projectRoutes = ({ projects, deleted }: Workspace['projects']): Routes =>
  newRoutes()
    .purpose('List your projects; for owners and admins, ?all=1 lists all and ?deleted=1 the deleted ones')
    .answers(z.object({ projects: z.array(z.union([projectModel, deletedProject])) }))
    .refuses('forbidden')
    .get(root, listProjects, (ctx) => {
      const { all, deleted: onlyDeleted } = listProjects.query(ctx)
      if (onlyDeleted) {
        ctx.body = { projects: deleted.list(ctx.state.caller) }
        return
      }
      ctx.body = { projects: projects.list(ctx.state.caller, { all }) }
    })
    .purpose('Create a project')
    .answers(z.object({ project: projectModel }), 201)
    .refuses('forbidden', 'conflict')
    .post(root, createProject, async (ctx) => {
      const created = await projects.create(ctx.state.caller, await createProject.fields(ctx))
      ctx.status = 201
      ctx.body = { project: created }
    })
    .purpose('Read a project')
    .answers(z.object({ project: projectModel }))
    .refuses('forbidden', 'not_found')
    .get(project, (ctx) => {
      ctx.body = { project: projects.get(ctx.state.caller, ctx.params.project!) }
    })
    .purpose('Rename or archive a project')
    .answers(z.object({ project: projectModel }))
    .refuses('forbidden', 'not_found', 'conflict')
    .patch(project, changeProject, async (ctx) => {
      const changes = await changeProject.fields(ctx)
      ctx.body = { project: await projects.change(ctx.state.caller, ctx.params.project!, changes) }
    })
    .purpose('Delete a project with everything in it; it can be restored for 30 days')
    .answers(z.object({ deleted: z.literal(true) }))
    .refuses('forbidden', 'not_found')
    .delete(project, deleteProject, async (ctx) => {
      await deleted.delete(ctx.state.caller, ctx.params.project!, deleteProject.query(ctx).name)
      ctx.body = { deleted: true }
    })
    .purpose('Restore a deleted project')
    .answers(z.object({ project: projectModel }))
    .refuses('forbidden', 'not_found')
    .post(`${project}/_restore`, async (ctx) => {
      const restored = await deleted.restore(ctx.state.caller, ctx.params.project!)
      ctx.body = { project: projects.overview(ctx.state.caller, restored.id) }
    })
    .purpose('List the members of a project')
    .answers(z.object({ members: z.array(projectMember) }))
    .refuses('forbidden', 'not_found')
    .get(members, (ctx) => {
      ctx.body = { members: projects.members(ctx.state.caller, ctx.params.project!) }
    })
    .purpose('Add a member to a project, or change their role')
    .answers(z.object({ member: projectMember }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(members, addProjectMember, async (ctx) => {
      const fields = await addProjectMember.fields(ctx)
      const member = await projects.addMember(ctx.state.caller, ctx.params.project!, fields)
      ctx.status = 201
      ctx.body = { member }
    })
    .purpose('Remove a member from a project')
    .answers(z.object({ removed: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(`${members}/:memberId`, async (ctx) => {
      await projects.removeMember(ctx.state.caller, ctx.params.project!, ctx.params.memberId!)
      ctx.body = { removed: true }
    })
