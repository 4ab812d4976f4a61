import { memberTypes, workspaceRoles } from '../../core/access/member.ts'
import type { Invites } from '../../core/members/invites.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { integer, nullable, oneOf, optional, readFields, texts } from '../request-fields.ts'

const invites = '/api/invites'

export const inviteRoutes = (service: Invites): Routes =>
  newRoutes()
    .purpose('List the open invites')
    .get(invites, (ctx) => {
      ctx.body = { invites: service.list(ctx.state.caller) }
    })
    .purpose('Create an invite')
    .post(invites, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, {
        role: optional(oneOf(workspaceRoles)),
        type: optional(nullable(oneOf(memberTypes))),
        uses: optional(integer),
        expiresAt: optional(nullable(integer)),
        projects: optional(texts),
        rooms: optional(texts),
      })
      const issued = await service.create(ctx.state.caller, fields)
      ctx.status = 201
      ctx.body = issued
    })
    .purpose('Revoke an invite')
    .delete(`${invites}/:id`, async (ctx) => {
      await service.revoke(ctx.state.caller, ctx.params.id!)
      ctx.body = { revoked: true }
    })
