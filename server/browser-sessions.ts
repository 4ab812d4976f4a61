import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { OpenSession, SignInClient } from '../core/sessions/sessions.ts'
import { maskedTokensEqual } from '../core/sessions/tokens.ts'
import type { Workspace } from '../core/workspace/index.ts'
import type { Context } from './context.ts'
import type { OriginCheck } from './same-origin.ts'

const cookieName = 'workroom_session'
/** When a session ends is the workspace's to say; a browser need only keep the cookie for longer than one can be idle. */
const cookieMs = 365 * 24 * 60 * 60 * 1000

/** The session of the browser that sends a request, by its cookie. */
export class BrowserSessions {
  private readonly workspace: Pick<Workspace, 'signin' | 'maintenance'>
  private readonly site: OriginCheck

  constructor(workspace: Pick<Workspace, 'signin' | 'maintenance'>, site: OriginCheck) {
    this.workspace = workspace
    this.site = site
  }

  /** Null where nobody is signed in. */
  find(ctx: Context): OpenSession | null {
    const token = this.tokenOf(ctx)
    if (token === null) return null
    this.workspace.maintenance.refresh()
    return this.workspace.signin.sessions.find(token)
  }

  browserOf(ctx: Context): SignInClient {
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

  /**
   * Refuses a change that none of our pages has asked for in this session.
   * @param sent the session's token that came along, in a field or a header
   * @throws WorkspaceError `forbidden`
   */
  requireCsrfToken(ctx: Context, session: OpenSession, sent: string | null | undefined): void {
    this.site.requireSameOrigin(ctx)
    if (sent && maskedTokensEqual(sent, session.csrfToken)) return
    throw new WorkspaceError(
      'forbidden',
      'The CSRF token is missing or out of date. Reload the page and try again.',
    )
  }

  private tokenOf(ctx: Context): string | null {
    return ctx.cookies.get(cookieName) ?? null
  }

  /** No script can read the cookie, and requests that other sites make come without it, except for links that are followed. */
  private writeCookie(ctx: Context, value: string, maxAge: number): void {
    const secure = this.site.isSecure(ctx)
    // The connection that is encrypted is the proxy's, of which the library knows nothing.
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

/** Back must not lead the next member to pages of the one before. */
function forgetPages(ctx: Context): void {
  ctx.set('Clear-Site-Data', '"cache"')
}
