import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Context } from './context.ts'
import { publicUrlMend } from './proxy-warnings.ts'

interface SiteOptions {
  publicUrl: string
  trustProxy: boolean
  onUnknownOrigin: (origin: string) => void
}

export class OriginCheck {
  private readonly publicOrigin: string
  private readonly trustProxy: boolean
  private readonly onUnknownOrigin: (origin: string) => void

  constructor({ publicUrl, trustProxy, onUnknownOrigin }: SiteOptions) {
    this.onUnknownOrigin = onUnknownOrigin
    this.publicOrigin = URL.canParse(publicUrl) ? new URL(publicUrl).origin : ''
    this.trustProxy = trustProxy
  }

  isSecure(ctx: Context): boolean {
    return this.publicOrigin.startsWith('https:') || this.protocolOf(ctx) === 'https:'
  }

  /** Whether the browser considers this a secure context, where it obeys `Clear-Site-Data`. */
  isSecureContext(ctx: Context): boolean {
    return this.isSecure(ctx) || /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(ctx.hostname)
  }

  /** Browsers send the origin of every POST, and pages cannot forge it. @throws WorkspaceError `forbidden` */
  requireSameOrigin(ctx: Context): void {
    const { origin, 'sec-fetch-site': site } = ctx.req.headers
    const hasOriginHeader = origin !== undefined || site !== undefined
    const isOwnPage =
      (origin === undefined || this.isSameOrigin(ctx, origin)) && (site ?? 'same-origin') === 'same-origin'
    if (hasOriginHeader && isOwnPage) return
    if (!hasOriginHeader) {
      throw new WorkspaceError(
        'forbidden',
        'Your browser sent no Origin header. Allow it, or use another browser.',
      )
    }
    if (origin !== undefined && this.isBehindProxy(ctx, origin)) {
      this.onUnknownOrigin(origin)
      throw new WorkspaceError(
        'forbidden',
        `This Workroom does not know that it is used at ${origin}, so it cannot tell its own pages from those of other sites. Its operator can fix that. ${publicUrlMend}`,
      )
    }
    throw new WorkspaceError(
      'forbidden',
      'This request came from another site. Repeat it on a page of this Workroom. If it is one of its pages, set publicUrl to its address.',
    )
  }

  /**
   * Refuses other sites' pages; programs send no `Origin`. After DNS rebinding, a foreign origin matches the
   * host, so only the public address and local names are accepted.
   * @throws WorkspaceError `forbidden`
   */
  requireOwnOrigin(ctx: Context): void {
    const { origin, host } = ctx.req.headers
    if (origin === undefined) return
    const isLocal = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin)
    if (origin === this.publicOrigin || (isLocal && origin.endsWith(`//${host}`))) return
    throw new WorkspaceError(
      'forbidden',
      'This request came from a page of another site. Programs send no Origin. If this is a page of this Workroom, set publicUrl to its address.',
    )
  }

  /** Whether this is our page behind a proxy that the settings do not name. */
  private isBehindProxy(ctx: Context, origin: string): boolean {
    const { 'sec-fetch-site': site, 'x-forwarded-host': forwarded, host } = ctx.req.headers
    if (!/^https?:\/\/[\w.:[\]-]{1,255}$/.test(origin)) return false
    if (site !== undefined) return site === 'same-origin'
    const hosts = [
      host,
      String(forwarded ?? '')
        .split(',')
        .at(-1)!
        .trim(),
    ]
    return hosts.includes(origin.replace(/^https?:\/\//, ''))
  }

  /** People also use other names than the public one, such as localhost. */
  private isSameOrigin(ctx: Context, origin: string): boolean {
    return origin === this.publicOrigin || origin === `${this.protocolOf(ctx)}//${ctx.req.headers.host}`
  }

  private protocolOf(ctx: Context): 'http:' | 'https:' {
    const forwarded = this.trustProxy ? String(ctx.req.headers['x-forwarded-proto'] ?? '') : ''
    return forwarded.split(',').at(-1)!.trim().toLowerCase() === 'https' ? 'https:' : 'http:'
  }
}
