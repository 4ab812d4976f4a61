import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Context } from './context.ts'
import { publicUrlMend } from './proxy-warnings.ts'

interface SiteOptions {
  publicUrl: string
  trustProxy: boolean
  /** Called with an address at which people use the pages and which is not known as ours. */
  onUnknownOrigin: (origin: string) => void
}

/** Tells the pages of this Workroom from those of other sites, by what browsers say of themselves. */
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

  /** Whether the browser takes this for a secure context, in which it does what `Clear-Site-Data` says. */
  isSecureContext(ctx: Context): boolean {
    return this.isSecure(ctx) || /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(ctx.hostname)
  }

  /**
   * Refuses a change requested by a page of another site on behalf of a signed-in member. All current browsers send
   * the origin of a POST, and no page can forge it.
   * @throws WorkspaceError `forbidden`
   */
  requireSameOrigin(ctx: Context): void {
    const { origin, 'sec-fetch-site': site } = ctx.req.headers
    const isSaid = origin !== undefined || site !== undefined
    const isOurs =
      (origin === undefined || this.isSameOrigin(ctx, origin)) && (site ?? 'same-origin') === 'same-origin'
    if (isSaid && isOurs) return
    if (!isSaid) {
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
   * Refuses what a page of another site sends to an endpoint for programs, which name no origin. A page that has its own
   * name point at this machine sends that name as the host, too: only the public address and local names count.
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

  /**
   * Whether a page is ours that came through a proxy which the settings do not know: the browser says that it is of the
   * same origin, or its address differs from that of the request by no more than what a proxy changes.
   */
  private isBehindProxy(ctx: Context, origin: string): boolean {
    const { 'sec-fetch-site': site, 'x-forwarded-host': forwarded, host } = ctx.req.headers
    if (!/^https?:\/\/[\w.:[\]-]{1,255}$/.test(origin)) return false
    if (site !== undefined) return site === 'same-origin'
    const named = [
      host,
      String(forwarded ?? '')
        .split(',')
        .at(-1)!
        .trim(),
    ]
    return named.includes(origin.replace(/^https?:\/\//, ''))
  }

  /** The public address, or the name by which this very request came: people also come by another way, such as localhost. */
  private isSameOrigin(ctx: Context, origin: string): boolean {
    return origin === this.publicOrigin || origin === `${this.protocolOf(ctx)}//${ctx.req.headers.host}`
  }

  private protocolOf(ctx: Context): 'http:' | 'https:' {
    const forwarded = this.trustProxy ? String(ctx.req.headers['x-forwarded-proto'] ?? '') : ''
    return forwarded.split(',').at(-1)!.trim().toLowerCase() === 'https' ? 'https:' : 'http:'
  }
}
