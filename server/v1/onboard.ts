import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Onboarding } from '../../core/members/invites.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { callerAddress } from '../caller-address.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import type { ServerParts } from '../parts.ts'
import { memberWithKey } from '../schemas/members.ts'

const redeemInvite = accepts({
  body: {
    invite: z.string().optional(),
    code: z.string().optional(),
    name: z.string().optional(),
    type: z.enum(memberTypes).optional(),
    email: z.string().optional(),
  },
})

/** Needs no key. Every attempt counts, except a successful one with a reusable invite. */
export function onboardRoutes(
  workspace: Pick<Workspace, 'people' | 'maintenance'>,
  { trustProxy, onboardingRate }: Pick<ServerParts, 'onboardingRate' | 'trustProxy'>,
): Routes {
  return newRoutes()
    .purpose('Become a member with an invite; needs no key')
    .answers(memberWithKey, 201)
    .refuses('forbidden', 'conflict')
    .post('/v1/onboard', redeemInvite, async (ctx) => {
      const address = callerAddress(ctx.req, trustProxy)
      onboardingRate.admit(address)
      // Read before the attempt's turn, so that a slow body delays nobody else.
      const attempt = await readOnboarding(ctx).then(
        (onboarding) => () => {
          workspace.maintenance.refresh()
          return workspace.people.invites.redeem(onboarding)
        },
        (error) => () => Promise.reject(error),
      )
      const { member, key } = await onboardingRate.count(address, attempt, ({ uses }) => uses > 1)
      ctx.status = 201
      ctx.body = { member, key }
    })
}

/** Accepts either name of the field. @throws WorkspaceError `bad_request` */
async function readOnboarding(ctx: RouteContext): Promise<Onboarding> {
  const { invite, code, ...fields } = await redeemInvite.fields(ctx)
  if (invite !== undefined && code !== undefined && invite !== code) {
    throw new WorkspaceError('bad_request', 'The fields invite and code are the same: send one of them.')
  }
  const inviteCode = invite ?? code
  if (inviteCode === undefined) {
    throw new WorkspaceError(
      'bad_request',
      "The body must contain the field invite (or code), the invite's code.",
    )
  }
  const { name, ...rest } = fields
  if (name === undefined)
    throw new WorkspaceError('bad_request', 'The body must contain the field name, a text.')
  return { invite: inviteCode, name, ...rest }
}
