import { setMaxListeners } from 'node:events'
import { type AllowList, requireAllowList } from './allow-list.ts'
import { ConnectionLimit, type ConnectionLimits } from './connection-limit.ts'
import { type Deadline, type StartTimer, startDeadline } from './deadline.ts'
import { checkDestination, type Destination, readDestination } from './destination.ts'
import { resolveNames } from './dns.ts'
import { createExchange } from './exchange.ts'
import { failure, type OutboundFailure } from './failure.ts'
import type { Outbound, Resolve } from './types.ts'

export type { OutboundFailure } from './failure.ts'
export type { Outbound, OutboundRequest, OutboundResponse, Resolve } from './types.ts'

export interface OutboundOptions {
  allow: readonly string[]
  resolve?: Resolve
  sockets?: ConnectionLimits
  authorities?: string
  /** Ends deadlines; default: `setTimeout`. */
  after?: StartTimer
}

const checkMs = 5000

/** The client of all outgoing HTTP (`docs/operations.md#outgoing-requests`). */
export function openOutbound(options: OutboundOptions): Outbound {
  const allow = requireAllowList(options.allow)
  const resolve = options.resolve ?? resolveNames({ isLocal: (name) => allow.names(name) })
  const connections = new ConnectionLimit(options.sockets ?? { total: 128, perHost: 8 })
  const exchange = createExchange(options.authorities)

  async function withTimeout<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (deadline: Deadline) => Promise<T>,
  ): Promise<T | OutboundFailure> {
    signal?.throwIfAborted()
    const deadline = startDeadline(timeoutMs, signal, options.after)
    try {
      return await work(deadline)
    } catch (error) {
      if (deadline.isExpired) return failure('timeout', 'deadline')
      throw error
    } finally {
      deadline.clear()
    }
  }

  return {
    async request(request, signal) {
      // One signal may end many requests; Node warns of more than ten listeners.
      if (signal) setMaxListeners(0, signal)
      const destination = readDestination(request.url)
      if ('kind' in destination) return destination
      const release = await connections.acquire(`${destination.host}:${destination.port}`, signal)
      try {
        return await withTimeout(request.timeoutMs, signal, async (deadline) => {
          const addresses = await checkDestination(destination, { allow, resolve, signal: deadline.signal })
          if ('kind' in addresses) return addresses
          return exchange(request, { destination, addresses, deadline })
        })
      } finally {
        release()
      }
    },

    async checkUrl(url, signal) {
      const destination = readDestination(url)
      if ('kind' in destination) return destination
      const problem = await withTimeout(checkMs, signal, async (deadline) => {
        const addresses = await checkDestination(destination, { allow, resolve, signal: deadline.signal })
        return 'kind' in addresses ? addresses : null
      })
      const isUnknown = problem !== null && (problem.category === 'dns' || problem.category === 'timeout')
      return isUnknown && isUnlistedPlainHttp(destination, allow) ? failure('bad_url', 'plain_http') : problem
    },
  }
}

/** Plain http needs an exception. Before the address is known, only one by name counts. */
const isUnlistedPlainHttp = ({ url, host, port }: Destination, allow: AllowList): boolean =>
  url.protocol === 'http:' && !allow.coversName(host, port)
