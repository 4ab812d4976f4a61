import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { OpenSession, SignInClient } from '../core/sessions/sessions.ts'
import { maskedTokensEqual } from '../core/sessions/tokens.ts'
import type { Workspace } from '../core/workspace/index.ts'
import type { Context } from './context.ts'
import type { OriginCheck } from './same-origin.ts'

const cookieName = 'workroom_session'
/** Longer than any session may be idle: the server decides when one ends. */
const cookieMs = 365 * 24 * 60 * 60 * 1000

export class BrowserSessions {
  constructor(
    private readonly workspace: Pick<Workspace, 'signin' | 'maintenance'>,
    private readonly site: OriginCheck,
  ) {}

  find(ctx: Context): OpenSession | null {
    const token = this.tokenOf(ctx)
    if (token === null) return null
    this.workspace.maintenance.refresh()
    return this.workspace.signin.sessions.find(token)
  }

  clientOf(ctx: Context): SignInClient {
    return { userAgent: ctx.get('User-Agent'), formerToken: this.tokenOf(ctx) }
  }

  setCookie(ctx: Context, token: string): void {
    if (this.tokenOf(ctx) !== null) forgetPages(ctx)
    this.writeCookie(ctx, token, cookieMs)
  }

  clearCookie(ctx: Context): void {
    forgetPages(ctx)
    this.writeCookie(ctx, '', 0)
  }

  /** @throws WorkspaceError `forbidden` unless `sent`, from a field or header, is the session's token */
  requireCsrfToken(ctx: Context, session: OpenSession, token: string | null | undefined): void {
    this.site.requireSameOrigin(ctx)
    if (token && maskedTokensEqual(token, session.csrfToken)) return
    throw new WorkspaceError(
      'forbidden',
      'The CSRF token is missing or out of date. Reload the page and try again.',
    )
  }

  private tokenOf(ctx: Context): string | null {
    return ctx.cookies.get(cookieName) ?? null
  }

  /** Scripts cannot read the cookie. Other sites' requests carry it only when a link is followed. */
  private writeCookie(ctx: Context, value: string, maxAge: number): void {
    const secure = this.site.isSecure(ctx)
    // The cookie library does not see that a TLS proxy makes the connection secure.
    ctx.cookies.secure = secure
    ctx.cookies.set(cookieName, value, {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure,
      maxAge,
      overwrite: true,
    })
  }
}

/** Keeps the Back button from showing the next person the previous one's pages. */
function forgetPages(ctx: Context): void {
  ctx.set('Clear-Site-Data', '"cache"')
}
