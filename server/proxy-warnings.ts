import type { Clock } from '../core/time/clock.ts'
import type { Middleware } from './context.ts'
import type { Log } from './log.ts'

interface ProxyWarning {
  problem: string
  mend: string
}

interface ProxyWarningsOptions {
  publicUrl: string
  trustProxy: boolean
  clock: Clock
  log: Log
}

const warningMs = 24 * 60 * 60 * 1000

/** Clients can invent headers, which must fill neither log nor memory. */
const maxOrigins = 5

const hostPattern = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Detects proxies that the settings do not name. It only warns, since clients can forge the headers. */
export class ProxyWarnings {
  private readonly publicHost: string
  private forwardedForMs: number | null = null
  private readonly originsMs = new Map<string, number>()

  constructor(private readonly options: ProxyWarningsOptions) {
    this.publicHost = URL.canParse(options.publicUrl) ? new URL(options.publicUrl).host : ''
  }

  current(): ProxyWarning[] {
    const nowMs = this.options.clock.now()
    const isRecent = (atMs: number) => Math.abs(nowMs - atMs) < warningMs
    const isForwarded = this.forwardedForMs !== null && isRecent(this.forwardedForMs)
    const origins = [...this.originsMs].filter(([, atMs]) => isRecent(atMs))
    return [
      ...(isForwarded ? [untrustedProxy] : []),
      ...origins.map(([origin]) => this.unknownAddress(origin)),
    ]
  }

  readonly observe: Middleware = (ctx, next) => {
    const { headers } = ctx.req
    if (headers['x-forwarded-for'] !== undefined && !this.options.trustProxy) this.noteForwardedFor()
    if (headers['x-forwarded-host'] !== undefined) {
      const [host = '', proto = ''] = [headers['x-forwarded-host'], headers['x-forwarded-proto']].map(lastOf)
      const origin = `${proto === 'http' ? 'http' : 'https'}://${host.toLowerCase()}`
      if (hostPattern.test(host) && new URL(origin).host !== this.publicHost) this.observeOrigin(origin)
    }
    return next()
  }

  observeOrigin(origin: string): void {
    const isKnown = this.originsMs.has(origin)
    if (!isKnown && this.originsMs.size >= maxOrigins) return
    this.originsMs.set(origin, this.options.clock.now())
    if (isKnown) return
    const { problem, mend } = this.unknownAddress(origin)
    this.options.log.warn({}, `${problem} ${mend}`)
  }

  private noteForwardedFor(): void {
    const isKnown = this.forwardedForMs !== null
    this.forwardedForMs = this.options.clock.now()
    if (!isKnown) this.options.log.warn({}, `${untrustedProxy.problem} ${untrustedProxy.mend}`)
  }

  private unknownAddress(origin: string): ProxyWarning {
    return {
      problem: `Requests arrive for ${origin}, but publicUrl is ${this.options.publicUrl}: sign-in fails there and links point elsewhere.`,
      mend: publicUrlMend,
    }
  }
}

export const publicUrlMend =
  'Behind a proxy, set publicUrl in workroom.yaml (or WORKROOM_PUBLIC_URL) to the address that people use, trustProxy (or WORKROOM_TRUST_PROXY) to true, and restart.'

const untrustedProxy: ProxyWarning = {
  problem:
    'Requests have X-Forwarded-For while trustProxy is off: all clients of that proxy count as one address.',
  mend: 'If the server is behind a proxy of yours, set trustProxy: true in workroom.yaml (or WORKROOM_TRUST_PROXY) and restart. If not, a client has forged the header.',
}

const lastOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',')
    .at(-1)!
    .trim()
