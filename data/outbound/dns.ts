import { lookup, Resolver } from 'node:dns/promises'
import type { Resolve } from './types.ts'

/** How long a name server may take; asked twice, the second time for twice as long. */
const serverMs = 1500

interface ResolveOptions {
  /** Which names the machine itself is asked for, with its hosts file and whatever else it has. */
  isLocal: (name: string) => boolean
  /** Name servers, such as `127.0.0.1:5353`; default those of the machine. */
  servers?: readonly string[]
}

/**
 * Resolves names by asking name servers. The machine's own way (`getaddrinfo`) would take the hosts file into account, but
 * holds one of few threads until it ends: two names whose servers never answer would keep all others waiting. It is used
 * for names that no stranger can invent: those that are expected to be local, and those without a dot.
 */
export function resolveNames({ isLocal, servers }: ResolveOptions): Resolve {
  return async (name, signal) => {
    // By definition (RFC 6761), whatever a name server says.
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
