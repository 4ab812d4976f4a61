import { memberStatuses, memberTypes, workspaceRoles } from '../../core/access/member.ts'
import type { Members } from '../../core/members/members.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { boolean, oneOf, optional, readFields, text, texts } from '../request-fields.ts'

const root = '/api/members'
const member = `${root}/:id`

export const memberRoutes = (members: Members): Routes =>
  newRoutes()
    .purpose('List the active members')
    .get(root, (ctx) => {
      ctx.body = members.list()
    })
    .purpose('Add a member, with a key')
    .post(root, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, {
        name: text,
        type: oneOf(memberTypes),
        role: optional(oneOf(workspaceRoles)),
        email: optional(text),
        ownerId: optional(text),
        scopes: optional(texts),
        description: optional(text),
      })
      const added = await members.add(ctx.state.caller, fields)
      ctx.status = 201
      ctx.body = added
    })
    .purpose('Read a member')
    .get(member, (ctx) => {
      ctx.body = { member: members.get(ctx.state.caller, ctx.params.id!) }
    })
    .purpose('Change a profile, a role or a status')
    .patch(member, accepts({ body: 'json' }), async (ctx) => {
      const changes = await readFields(ctx, {
        name: optional(text),
        statusText: optional(text),
        description: optional(text),
        avatarUrl: optional(text),
        email: optional(text),
        emailNotifications: optional(boolean),
        role: optional(oneOf(workspaceRoles)),
        status: optional(oneOf(memberStatuses)),
      })
      ctx.body = { member: await members.change(ctx.state.caller, ctx.params.id!, changes) }
    })
