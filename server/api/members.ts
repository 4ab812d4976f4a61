import { z } from 'zod'
import { agentScopes, memberStatuses, memberTypes, workspaceRoles } from '../../core/access/member.ts'
import type { Members } from '../../core/members/members.ts'
import { requireScopes } from '../../core/members/scopes.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { refusalBy, refusedAs } from '../input-types.ts'
import {
  issuedKey,
  key as keyModel,
  memberDetail,
  member as memberModel,
  memberWithKey,
} from '../schemas/members.ts'

const root = '/api/members'
const member = `${root}/:id`
const keys = `${member}/keys`
const key = `${keys}/:keyId`

/** Core allows `*` for people only. */
const keyScopes = refusedAs(z.array(z.enum(['*', ...agentScopes])).min(1), z.array(z.string()), (scopes) =>
  refusalBy(() => requireScopes(scopes, 'human')),
)

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

const createKey = accepts({
  body: {
    label: z.string().optional(),
    scopes: keyScopes.optional(),
    expiresAt: z.int().nullable().optional(),
  },
})

export const keyRoutes = (members: Members): Routes =>
  newRoutes()
    .purpose('List a member’s keys, without the keys themselves')
    .answers(z.object({ keys: z.array(keyModel) }))
    .refuses('forbidden', 'not_found')
    .get(keys, (ctx) => {
      ctx.body = { keys: members.keys(ctx.state.caller, ctx.params.id!) }
    })
    .purpose('Create a key, which is shown once')
    .answers(issuedKey, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(keys, createKey, async (ctx) => {
      const issued = await members.addKey(ctx.state.caller, ctx.params.id!, await createKey.fields(ctx))
      ctx.status = 201
      ctx.body = issued
    })
    .purpose('Revoke a key, at once')
    .answers(z.object({ revoked: z.literal(true) }))
    .refuses('forbidden', 'not_found')
    .delete(key, async (ctx) => {
      const { id, keyId } = ctx.params
      await members.revokeKey(ctx.state.caller, id!, keyId!)
      ctx.body = { revoked: true }
    })
    .purpose('Replace a key with a new one')
    .answers(issuedKey, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${key}/rotate`, async (ctx) => {
      const { id, keyId } = ctx.params
      const issued = await members.rotateKey(ctx.state.caller, id!, keyId!)
      ctx.status = 201
      ctx.body = issued
    })
