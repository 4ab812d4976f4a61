import { memberTypes } from '../../core/members/types.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { callerAddress } from '../caller-address.ts'
import { newRoutes, type Routes } from '../context.ts'
import type { OnboardingRate } from '../onboarding-rate.ts'
import { oneOf, optional, readFields, text } from '../request-fields.ts'

/** The one endpoint that needs no key (`middleware/caller.ts`): an invite makes whoever has it a member. */
export function onboardRoutes(
  workspace: Pick<Workspace, 'invites' | 'refresh'>,
  { trustProxy, onboardingRate }: { trustProxy: boolean; onboardingRate: OnboardingRate },
): Routes {
  return newRoutes().post('/v1/onboard', async (ctx) => {
    // Before anything is read: every attempt counts, whatever comes of it.
    onboardingRate.admit(callerAddress(ctx.req, trustProxy))
    const onboarding = await readFields(ctx, {
      invite: text,
      name: text,
      type: optional(oneOf(memberTypes)),
      email: optional(text),
    })
    workspace.refresh()
    const added = await workspace.invites.redeem(onboarding)
    ctx.status = 201
    ctx.body = added
  })
}
