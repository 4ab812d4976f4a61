import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { signinPath } from '../../core/paths.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import { callerAddress, rateLimitKey } from '../caller-address.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { codeAndStatus, headersOf } from '../error-response.ts'
import { type InvalidKeys, invalidKey } from '../invalid-keys.ts'
import { readForm } from '../middleware/body.ts'
import { messageOf } from '../next-steps.ts'
import { RateLimit } from '../rate-limit.ts'
import { queryText, readFields } from '../request-fields.ts'
import type { OriginCheck } from '../same-origin.ts'
import { homePath, localPath } from './local-path.ts'
import { type Pages, redirect } from './pages.ts'
import { invalidLinkPage, linkPage, mailedPage, signinForm } from './signin-pages.ts'

const passkeyAnswer = { response: z.looseObject({}), next: z.string().optional() }

export interface SigninOptions {
  trustProxy: boolean
  pages: Pages
  site: OriginCheck
  browserSessions: BrowserSessions
  invalidKeys: InvalidKeys
}

export function signinRoutes(
  workspace: Pick<Workspace, 'clock' | 'identity' | 'maintenance' | 'signin'>,
  { trustProxy, pages, site, browserSessions, invalidKeys }: SigninOptions,
): Routes {
  const {
    signin: { sessions, links: signinLinks, mail: signinMail, passkeys },
  } = workspace
  const mailAsks = mailLimit(workspace.clock)
  const passkeyUses = passkeyLimit(workspace.clock)

  const isMailing = signinMail !== null
  const showForm = (ctx: RouteContext, next: string, failure?: WorkspaceError) =>
    pages.showStandalone(ctx, {
      status: failure ? codeAndStatus(failure.code, ctx.path).status : 200,
      title: 'Sign in',
      usesPasskeys: true,
      content: signinForm({
        workspaceName: workspace.identity.name,
        next,
        isMailing,
        problem: failure && messageOf(failure),
      }),
    })
  const showDeadLink = (ctx: RouteContext) => pages.showStandalone(ctx, { status: 404, ...invalidLinkPage })

  /** @returns the token of the session @throws WorkspaceError `unauthorized`, `too_many_requests`, `forbidden`, `bad_request` */
  async function signInByKey(ctx: RouteContext, key: string): Promise<string> {
    if (key === '') throw new WorkspaceError('bad_request', 'Enter your key.')
    const address = callerAddress(ctx.req, trustProxy)
    invalidKeys.requireBelowLimit(address)
    workspace.maintenance.refresh()
    const token = await sessions.signInByKey(key, browserSessions.browserOf(ctx))
    if (token !== null) return token
    invalidKeys.count(address, key)
    throw new WorkspaceError('unauthorized', invalidKey)
  }

  /** The same whatever the address. @throws WorkspaceError `too_many_requests`, `bad_request` */
  function mailLink(ctx: RouteContext, address: string, next: string): void {
    if (!signinMail)
      throw new WorkspaceError('bad_request', 'This Workroom does not send mail. Sign in with a key.')
    mailAsks.admit(rateLimitKey(callerAddress(ctx.req, trustProxy)))
    workspace.maintenance.refresh()
    signinMail.request(address, next === homePath ? '' : `?next=${encodeURIComponent(next)}`)
  }

  return newRoutes()
    .purpose('Page: sign in')
    .get('/signin', (ctx) => {
      const next = localPath(queryText(ctx, 'next'))
      // Some changes take a session that is new.
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
        browserSessions.setCookie(ctx, await signInByKey(ctx, (form.get('key') ?? '').trim()))
        redirect(ctx, next)
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error
        ctx.set(headersOf(error))
        showForm(ctx, next, error)
      }
    })
    .purpose('Begin to sign in with a passkey')
    .post('/signin/passkey/options', async (ctx) => {
      site.requireSameOrigin(ctx)
      passkeyUses.admit(rateLimitKey(callerAddress(ctx.req, trustProxy)))
      await readFields(ctx, {})
      ctx.set('Cache-Control', 'no-store')
      ctx.body = await passkeys.requestOptions(ctx.get('Origin'))
    })
    .purpose('Sign in with a passkey')
    .post('/signin/passkey', async (ctx) => {
      site.requireSameOrigin(ctx)
      passkeyUses.admit(rateLimitKey(callerAddress(ctx.req, trustProxy)))
      const { response, next } = await readFields(ctx, passkeyAnswer)
      workspace.maintenance.refresh()
      const member = await passkeys.authenticate(ctx.get('Origin'), response)
      browserSessions.setCookie(ctx, await sessions.signIn(member, browserSessions.browserOf(ctx)))
      ctx.set('Cache-Control', 'no-store')
      ctx.body = { location: localPath(next) }
    })
    .purpose('Page: confirm a sign-in link; changes nothing')
    .get(signinPath(':token'), (ctx) => {
      workspace.maintenance.refresh()
      const member = signinLinks.memberOf(ctx.params.token!)
      if (!member) return showDeadLink(ctx)
      const next = localPath(queryText(ctx, 'next'))
      pages.showStandalone(ctx, linkPage({ member, workspaceName: workspace.identity.name, next }))
    })
    .purpose('Sign in with a link, once')
    .post(signinPath(':token'), async (ctx) => {
      site.requireSameOrigin(ctx)
      const form = await readForm(ctx)
      workspace.maintenance.refresh()
      const token = await sessions.signInByLink(ctx.params.token!, browserSessions.browserOf(ctx))
      if (token === null) return showDeadLink(ctx)
      browserSessions.setCookie(ctx, token)
      redirect(ctx, localPath(form.get('next')))
    })
}

/** Two requests each time: 100 sign-ins an hour from one address. */
const passkeyLimit = (clock: Clock): RateLimit =>
  new RateLimit({
    limit: 200,
    windowMs: 60 * 60 * 1000,
    maxKeys: 65_536,
    reason: 'Too many passkeys were tried from your address.',
    clock,
  })

/** Limits mailed links: 10 an hour from one address, for any member. */
const mailLimit = (clock: Clock): RateLimit =>
  new RateLimit({
    limit: 10,
    windowMs: 60 * 60 * 1000,
    maxKeys: 65_536,
    reason: 'Too many sign-in links were requested from your address.',
    clock,
  })
