import { WorkspaceError } from '../core/errors.ts'
import type { Context } from './context.ts'

export interface SiteOptions {
  /** The base address that people use, without a slash at its end. */
  publicUrl: string
  trustProxy: boolean
}

/** Tells the pages of this Workroom from those of other sites, by what browsers say of themselves. */
export class Site {
  private readonly publicOrigin: string
  private readonly trustProxy: boolean

  constructor({ publicUrl, trustProxy }: SiteOptions) {
    this.publicOrigin = URL.canParse(publicUrl) ? new URL(publicUrl).origin : ''
    this.trustProxy = trustProxy
  }

  /** Whether people come by https, so that a cookie needs no other way. */
  isSecure(ctx: Context): boolean {
    return this.publicOrigin.startsWith('https:') || this.protocolOf(ctx) === 'https:'
  }

  /**
   * Refuses a change that a page of another site asks for in the name of somebody who is signed in here. Every browser
   * of today says where a POST comes from, and no page can make it say something else.
   * @throws WorkspaceError `forbidden`
   */
  requireSameOrigin(ctx: Context): void {
    const { origin, 'sec-fetch-site': site } = ctx.req.headers
    const isSaid = origin !== undefined || site !== undefined
    const isOurs =
      (origin === undefined || this.isOurs(ctx, origin)) && (site ?? 'same-origin') === 'same-origin'
    if (isSaid && isOurs) return
    throw new WorkspaceError(
      'forbidden',
      isSaid
        ? 'This was sent from a page of another site. Go to the page of this Workroom and do it there.'
        : 'Your browser did not say from which page this was sent (Origin). Allow it to, or use another.',
    )
  }

  /** The public address, or the name by which this very request came: people also come by another way, such as localhost. */
  private isOurs(ctx: Context, origin: string): boolean {
    return origin === this.publicOrigin || origin === `${this.protocolOf(ctx)}//${ctx.req.headers.host}`
  }

  private protocolOf(ctx: Context): 'http:' | 'https:' {
    const forwarded = this.trustProxy ? String(ctx.req.headers['x-forwarded-proto'] ?? '') : ''
    return forwarded.split(',').at(-1)!.trim().toLowerCase() === 'https' ? 'https:' : 'http:'
  }
}
