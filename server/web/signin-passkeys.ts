import { z } from 'zod'
import type { Clock } from '../../core/time/clock.ts'
import { callerAddress, rateLimitKey } from '../caller-address.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { RateLimit } from '../rate-limit.ts'
import { readFields } from '../request-fields.ts'
import { localPath } from './local-path.ts'
import type { SigninOptions, SigninWorkspace } from './signin.ts'

const passkeyAnswer = { response: z.looseObject({}), next: z.string().optional() }

export function passkeySigninRoutes(
  { clock, maintenance, signin: { passkeys, sessions } }: SigninWorkspace,
  { trustProxy, site, browserSessions }: SigninOptions,
): Routes {
  const uses = passkeyLimit(clock)
  const admit = (ctx: RouteContext) => {
    site.requireSameOrigin(ctx)
    uses.admit(rateLimitKey(callerAddress(ctx.req, trustProxy)))
  }

  return newRoutes()
    .purpose('Begin to sign in with a passkey')
    .post('/signin/passkey/options', async (ctx) => {
      admit(ctx)
      await readFields(ctx, {})
      ctx.set('Cache-Control', 'no-store')
      ctx.body = await passkeys.requestOptions(ctx.get('Origin'))
    })
    .purpose('Sign in with a passkey')
    .post('/signin/passkey', async (ctx) => {
      admit(ctx)
      const { response, next } = await readFields(ctx, passkeyAnswer)
      maintenance.refresh()
      const member = await passkeys.authenticate(ctx.get('Origin'), response)
      browserSessions.setCookie(ctx, await sessions.signIn(member, browserSessions.clientOf(ctx)))
      ctx.set('Cache-Control', 'no-store')
      ctx.body = { location: localPath(next) }
    })
}

/** A sign-in takes two requests: 100 sign-ins per hour and address. */
const passkeyLimit = (clock: Clock): RateLimit =>
  new RateLimit({
    limit: 200,
    windowMs: 60 * 60 * 1000,
    maxKeys: 65_536,
    reason: 'Too many passkeys were tried from your address.',
    clock,
  })
