import { z } from 'zod'
import { memberStatuses, memberTypes, workspaceRoles } from '../../core/access/member.ts'
import type { Members } from '../../core/members/members.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { memberDetail, member as memberModel, memberWithKey } from '../schemas/members.ts'
import { keyScopes } from './keys.ts'

const root = '/api/members'
const member = `${root}/:id`

const addMember = accepts({
  body: {
    name: z.string(),
    type: z.enum(memberTypes),
    role: z.enum(workspaceRoles).optional(),
    email: z.string().optional(),
    ownerId: z.string().optional(),
    scopes: keyScopes.optional(),
    description: z.string().optional(),
  },
})

const changeMember = accepts({
  body: {
    name: z.string().optional(),
    statusText: z.string().optional(),
    description: z.string().optional(),
    avatarUrl: z.string().optional(),
    email: z.string().optional(),
    emailNotifications: z.boolean().optional(),
    role: z.enum(workspaceRoles).optional(),
    status: z.enum(memberStatuses).optional(),
  },
})

export const memberRoutes = (members: Members): Routes =>
  newRoutes()
    .purpose('List the active members')
    .answers(z.array(memberModel))
    .get(root, (ctx) => {
      ctx.body = members.list()
    })
    .purpose('Add a member, with a key')
    .answers(memberWithKey, 201)
    .refuses('forbidden', 'conflict')
    .post(root, addMember, async (ctx) => {
      const added = await members.add(ctx.state.caller, await addMember.fields(ctx))
      ctx.status = 201
      ctx.body = added
    })
    .purpose('Read a member')
    .answers(z.object({ member: memberDetail }))
    .refuses('not_found')
    .get(member, (ctx) => {
      ctx.body = { member: members.get(ctx.state.caller, ctx.params.id!) }
    })
    .purpose('Change a profile, a role or a status')
    .answers(z.object({ member: memberDetail }))
    .refuses('forbidden', 'not_found', 'conflict')
    .patch(member, changeMember, async (ctx) => {
      const changes = await changeMember.fields(ctx)
      ctx.body = { member: await members.change(ctx.state.caller, ctx.params.id!, changes) }
    })
