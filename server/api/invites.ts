import { z } from 'zod'
import { memberTypes, workspaceRoles } from '../../core/access/member.ts'
import type { Invites } from '../../core/members/invites.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { invite, issuedInvite } from '../schemas/members.ts'

const invites = '/api/invites'

const createInvite = accepts({
  body: {
    role: z.enum(workspaceRoles).optional(),
    type: z.enum(memberTypes).nullable().optional(),
    uses: z.int().optional(),
    expiresAt: z.int().nullable().optional(),
    projects: z.array(z.string()).optional(),
    rooms: z.array(z.string()).optional(),
  },
})

export const inviteRoutes = (service: Invites): Routes =>
  newRoutes()
    .purpose('List the open invites')
    .answers(z.object({ invites: z.array(invite) }))
    .refuses('forbidden')
    .get(invites, (ctx) => {
      ctx.body = { invites: service.list(ctx.state.caller) }
    })
    .purpose('Create an invite')
    .answers(issuedInvite, 201)
    .refuses('forbidden')
    .post(invites, createInvite, async (ctx) => {
      const issued = await service.create(ctx.state.caller, await createInvite.fields(ctx))
      ctx.status = 201
      ctx.body = issued
    })
    .purpose('Revoke an invite')
    .answers(z.object({ revoked: z.literal(true) }))
    .refuses('forbidden', 'not_found')
    .delete(`${invites}/:id`, async (ctx) => {
      await service.revoke(ctx.state.caller, ctx.params.id!)
      ctx.body = { revoked: true }
    })
