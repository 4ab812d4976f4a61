import { WorkspaceError } from '../../core/errors/workspace-error.ts'
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
import { queryText } from '../request-fields.ts'
import type { OriginCheck } from '../same-origin.ts'
import { homePath, localPath } from './local-path.ts'
import { type Pages, redirect } from './pages.ts'
import { mailedPage, signinForm } from './signin-pages.ts'

export type SigninWorkspace = Pick<Workspace, 'clock' | 'identity' | 'maintenance' | 'signin'>

export interface SigninOptions {
  trustProxy: boolean
  pages: Pages
  site: OriginCheck
  browserSessions: BrowserSessions
  invalidKeys: InvalidKeys
}

export function signinRoutes(workspace: SigninWorkspace, options: SigninOptions): Routes {
  const { pages, site, browserSessions } = options
  const mailRate = mailLimit(workspace.clock)
  const showForm = (ctx: RouteContext, next: string, failure?: WorkspaceError) =>
    pages.showStandalone(ctx, formPage(workspace, ctx.path, next, failure))

  /** Answers the same for every address. @throws WorkspaceError `too_many_requests`, `bad_request` */
  function mailLink(ctx: RouteContext, address: string, next: string): void {
    const { mail } = workspace.signin
    if (!mail)
      throw new WorkspaceError('bad_request', 'This Workroom does not send email. Sign in with a key.')
    mailRate.admit(rateLimitKey(callerAddress(ctx.req, options.trustProxy)))
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
          await signInByKey(ctx, workspace, options, (form.get('key') ?? '').trim()),
        )
        redirect(ctx, next)
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error
        ctx.set(headersOf(error))
        showForm(ctx, next, error)
      }
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
  { browserSessions, invalidKeys, trustProxy }: SigninOptions,
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

/** By the requester's address, whichever member is asked for. */
const mailLimit = (clock: Clock): RateLimit =>
  new RateLimit({
    limit: 10,
    windowMs: 60 * 60 * 1000,
    maxKeys: 65_536,
    reason: 'Too many sign-in links were requested from your address.',
    clock,
  })
