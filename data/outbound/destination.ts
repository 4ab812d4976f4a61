import { isIPv6 } from 'node:net'
import { isPublic, readAddress } from './addresses.ts'
import type { AllowList } from './allow-list.ts'
import { codeOf, failure, type OutboundFailure } from './failure.ts'
import type { Resolve } from './types.ts'

export interface Destination {
  url: URL
  /** A lower-case ASCII name without a dot at its end, or an address without brackets. */
  host: string
  port: number
}

export interface CheckedAddress {
  address: string
  family: 4 | 6
}

export function readDestination(text: string): Destination | OutboundFailure {
  if (!URL.canParse(text)) return failure('bad_url', 'unreadable')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return failure('bad_url', 'scheme')
  if (url.username !== '' || url.password !== '') return failure('bad_url', 'credentials')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  // got takes the name `unix` for a socket's path.
  if (host === '' || host === 'unix') return failure('bad_url', 'unreadable')
  // Certificates and most servers do not know `example.com.`.
  if (!isIPv6(host)) url.hostname = host
  return { url, host, port: portOf(url) }
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)

/** Resolves once. Callers must connect only to these addresses, IPv4 first. @throws the signal's reason */
export async function checkDestination(
  destination: Destination,
  { allow, resolve, signal }: { allow: AllowList; resolve: Resolve; signal: AbortSignal },
): Promise<CheckedAddress[] | OutboundFailure> {
  const { url, host, port } = destination
  const addresses = readAddress(host) ? [host] : await addressesOf(host, resolve, signal)
  if ('kind' in addresses) return addresses
  const checked: CheckedAddress[] = []
  let isCovered = true
  for (const text of addresses) {
    const address = readAddress(text)
    if (!address) return failure('dns', 'EBADRESP')
    if (!allow.covers(host, port, address)) {
      if (!isPublic(address)) return failure('blocked_address', text)
      isCovered = false
    }
    checked.push({ address: text, family: address.kind() === 'ipv4' ? 4 : 6 })
  }
  if (url.protocol === 'http:' && !isCovered) return failure('bad_url', 'plain_http')
  return checked.sort((a, b) => a.family - b.family)
}

async function addressesOf(
  name: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly string[] | OutboundFailure> {
  try {
    const addresses = await rejectOnAbort(resolve(name, signal), signal)
    return addresses.length > 0 ? addresses : failure('dns', 'ENODATA')
  } catch (error) {
    signal.throwIfAborted()
    return failure('dns', codeOf(error))
  }
}

/** A pending DNS query cannot always be cancelled. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject)
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
