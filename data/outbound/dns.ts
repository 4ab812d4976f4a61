import { lookup, Resolver } from 'node:dns/promises'
import type { Resolve } from './types.ts'

/** The second query has twice as long. */
const serverMs = 1500

interface ResolveOptions {
  /** Names that the operating system resolves, by its hosts file and other sources. */
  isLocal: (name: string) => boolean
  servers?: readonly string[]
}

/**
 * Queries name servers itself, because `getaddrinfo` blocks one of few threads, so that slow names would
 * delay all. Only names that no stranger can choose use it: expected local ones, and those without a dot.
 */
export function resolveNames({ isLocal, servers }: ResolveOptions): Resolve {
  return async (name, signal) => {
    // By definition (RFC 6761).
    if (/(^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
    if (isLocal(name) || !name.includes('.')) {
      return (await lookup(name, { all: true })).map(({ address }) => address)
    }
    const resolver = new Resolver({ timeout: serverMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason
    return addresses
  }
}
