import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Behind a proxy, the last hop of `X-Forwarded-For` counts: the client can invent the others. */
export function callerAddress(request: IncomingMessage, trustProxy: boolean): string {
  const socketAddress = request.socket.remoteAddress ?? ''
  if (!trustProxy) return socketAddress
  const forwarded = request.headers['x-forwarded-for']
  const lastHop = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',').at(-1)!
  const address = withoutPort(lastHop.trim())
  return ipaddr.isValid(address) ? address : socketAddress
}

/** Some proxies write `192.0.2.1:50000` or `[2001:db8::1]:50000`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)
  if (bracketed) return bracketed[1]!
  return /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
}

/** Counts an IPv4 address by itself and an IPv6 address by its /64, which one customer usually has. */
export function rateLimitKey(address: string): string {
  if (!isIPv6(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
