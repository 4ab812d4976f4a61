import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { signinPath } from '../../core/paths.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { callerAddress, rateLimitKey } from '../caller-address.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { codeAndStatus, headersOf } from '../error-response.ts'
import { invalidKey } from '../invalid-keys.ts'
import { readForm } from '../middleware/body.ts'
import { messageOf } from '../next-steps.ts'
import type { ServerParts } from '../parts.ts'
import { RateLimit } from '../rate-limit.ts'
import { queryText, readFields } from '../request-fields.ts'
import { homePath, localPath } from './local-path.ts'
import { redirect } from './pages.ts'
import { invalidLinkPage, linkPage, mailedPage, signinForm } from './signin-pages.ts'

type SigninWorkspace = Pick<Workspace, 'clock' | 'identity' | 'maintenance' | 'signin'>

type SigninParts = Pick<ServerParts, 'browserSessions' | 'invalidKeys' | 'pages' | 'site' | 'trustProxy'>

export function signinRoutes(workspace: SigninWorkspace, parts: SigninParts): Routes {
  const { pages, site, browserSessions } = parts
  // By the requester's address, whichever member is asked for.
  const mailRate = hourlyLimit(
    10,
    'Too many sign-in links were requested from your address.',
    workspace.clock,
  )
  const showForm = (ctx: RouteContext, next: string, failure?: WorkspaceError) =>
    pages.showStandalone(ctx, formPage(workspace, ctx.path, next, failure))

  /** Answers the same for every address. @throws WorkspaceError `too_many_requests`, `bad_request` */
  function mailLink(ctx: RouteContext, address: string, next: string): void {
    const { mail } = workspace.signin
    if (!mail)
      throw new WorkspaceError('bad_request', 'This Workroom does not send email. Sign in with a key.')
    mailRate.admit(rateLimitKey(callerAddress(ctx.req, parts.trustProxy)))
    workspace.maintenance.refresh()
    mail.request(address, next === homePath ? '' : `?next=${encodeURIComponent(next)}`)
  }

  return newRoutes()
    .purpose('Page: sign in')
    .get('/signin', (ctx) => {
      const next = localPath(queryText(ctx, 'next'))
      // Some changes require a new session.
      const isAgain = queryText(ctx, 'again') !== undefined
      if (!isAgain && browserSessions.find(ctx)) return redirect(ctx, next)
      showForm(ctx, next)
    })
    .purpose('Sign in with a key, or ask for a link by mail')
    .post('/signin', async (ctx) => {
      site.requireSameOrigin(ctx)
      const form = await readForm(ctx)
      const next = localPath(form.get('next'))
      const address = form.get('email')
      try {
        if (address !== null) {
          mailLink(ctx, address, next)
          return pages.showStandalone(ctx, mailedPage)
        }
        browserSessions.setCookie(
          ctx,
          await signInByKey(ctx, workspace, parts, (form.get('key') ?? '').trim()),
        )
        redirect(ctx, next)
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error
        ctx.set(headersOf(error))
        showForm(ctx, next, error)
      }
    })
}

/** For links sent by mail or created on the command line. */
export function signinLinkRoutes(
  { identity, maintenance, signin: { links, sessions } }: SigninWorkspace,
  { pages, site, browserSessions }: SigninParts,
): Routes {
  const showDeadLink = (ctx: RouteContext) => pages.showStandalone(ctx, { status: 404, ...invalidLinkPage })

  return newRoutes()
    .purpose('Page: confirm a sign-in link; changes nothing')
    .get(signinPath(':token'), (ctx) => {
      maintenance.refresh()
      const member = links.memberOf(ctx.params.token!)
      if (!member) return showDeadLink(ctx)
      const next = localPath(queryText(ctx, 'next'))
      pages.showStandalone(ctx, linkPage({ member, workspaceName: identity.name, next }))
    })
    .purpose('Sign in with a link, once')
    .post(signinPath(':token'), async (ctx) => {
      site.requireSameOrigin(ctx)
      const form = await readForm(ctx)
      maintenance.refresh()
      const token = await sessions.signInByLink(ctx.params.token!, browserSessions.clientOf(ctx))
      if (token === null) return showDeadLink(ctx)
      browserSessions.setCookie(ctx, token)
      redirect(ctx, localPath(form.get('next')))
    })
}

const passkeyAnswer = { response: z.looseObject({}), next: z.string().optional() }

export function passkeySigninRoutes(
  { clock, maintenance, signin: { passkeys, sessions } }: SigninWorkspace,
  { trustProxy, site, browserSessions }: SigninParts,
): Routes {
  // A sign-in takes two requests.
  const uses = hourlyLimit(200, 'Too many passkeys were tried from your address.', clock)
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

function formPage(
  { identity, signin }: SigninWorkspace,
  path: string,
  next: string,
  failure?: WorkspaceError,
) {
  return {
    status: failure ? codeAndStatus(failure.code, path).status : 200,
    title: 'Sign in',
    usesPasskeys: true,
    content: signinForm({
      workspaceName: identity.name,
      next,
      isMailing: signin.mail !== null,
      problem: failure && messageOf(failure),
    }),
  }
}

/** Returns a token. @throws WorkspaceError `unauthorized`, `too_many_requests`, `forbidden`, `bad_request` */
async function signInByKey(
  ctx: RouteContext,
  { maintenance, signin }: SigninWorkspace,
  { browserSessions, invalidKeys, trustProxy }: SigninParts,
  key: string,
): Promise<string> {
  if (key === '') throw new WorkspaceError('bad_request', 'Enter your key.')
  const address = callerAddress(ctx.req, trustProxy)
  invalidKeys.requireBelowLimit(address)
  maintenance.refresh()
  const token = await signin.sessions.signInByKey(key, browserSessions.clientOf(ctx))
  if (token !== null) return token
  invalidKeys.count(address, key)
  throw new WorkspaceError('unauthorized', invalidKey)
}

const hourlyLimit = (limit: number, reason: string, clock: Clock): RateLimit =>
  new RateLimit({ limit, windowMs: 60 * 60 * 1000, maxKeys: 65_536, reason, clock })
