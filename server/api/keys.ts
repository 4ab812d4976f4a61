import { z } from 'zod'
import { agentScopes } from '../../core/access/member.ts'
import type { Members } from '../../core/members/members.ts'
import { requireScopes } from '../../core/members/scopes.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { refusalBy, refusedAs } from '../input-types.ts'
import { issuedKey, key as keyModel } from '../schemas/members.ts'

const keys = '/api/members/:id/keys'
const key = `${keys}/:keyId`

/** Core allows `*` for people only. */
export const keyScopes = refusedAs(
  z.array(z.enum(['*', ...agentScopes])).min(1),
  z.array(z.string()),
  (scopes) => refusalBy(() => requireScopes(scopes, 'human')),
)

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
