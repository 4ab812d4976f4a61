import { isIPv6 } from 'node:net'
import {
  type Address,
  embeddedIpv4,
  firstAddress,
  isPublic,
  isWithin,
  type Range,
  readAddress,
  unmapIpv4,
} from './addresses.ts'

/** The exceptions of `outbound.allow`: destinations that need not be public, and may use plain http. */
export interface AllowList {
  names(host: string): boolean
  coversName(host: string, port: number): boolean
  covers(host: string, port: number, address: Address): boolean
}

interface AllowListEntry {
  name: string | null
  range: Range | null
  /** Null for any. */
  port: number | null
}

/** Parses names and addresses, with or without port (`[fd00::1]:8080`), and ranges. @throws Error */
export function requireAllowList(entries: readonly string[]): AllowList {
  const problems = allowListProblems(entries)
  if (problems.length > 0) throw new Error(`The list of allowed hosts has ${problems.join('; ')}`)
  return allowList(entries.map(readEntry) as AllowListEntry[])
}

/** Each clause begins with the entry. */
export function allowListProblems(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    const read = readEntry(entry)
    return typeof read === 'string' ? [`${JSON.stringify(entry)}, ${read}`] : []
  })
}

function allowList(entries: readonly AllowListEntry[]): AllowList {
  const coversAddress = (port: number, given: Address): boolean => {
    const address = unmapIpv4(given)
    const embedded = embeddedIpv4(address)
    // A range of translated addresses does not allow the embedded ones.
    if (embedded && !isPublic(embedded) && !coversAddress(port, embedded)) return false
    return entries.some((entry) => entry.range && matchesPort(entry, port) && isWithin(address, entry.range))
  }
  const coversName = (host: string, port: number) =>
    entries.some((entry) => entry.name === host && matchesPort(entry, port))
  return {
    names: (host) => entries.some(({ name }) => name === host),
    coversName,
    covers: (host, port, address) => coversName(host, port) || coversAddress(port, address),
  }
}

const matchesPort = (entry: AllowListEntry, port: number) => entry.port === null || entry.port === port

function readEntry(text: string): AllowListEntry | string {
  if (/^[a-z]+:\/\//i.test(text)) return 'which is a whole address: write its host alone'
  if (text.includes('/')) return readRange(text)
  if (isIPv6(text)) return readHost(text, null)
  const parts = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[^:[\]]*))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups
  if (!parts) return 'which is no host, address or range'
  const port = parts.port === undefined ? null : Number(parts.port)
  if (port !== null && (port < 1 || port > 65535)) return 'whose port is none from 1 to 65535'
  if (parts.bracketed !== undefined && !isIPv6(parts.bracketed))
    return 'which has no IPv6 address in brackets'
  return readHost(parts.bracketed ?? parts.plain!, port)
}

function readRange(text: string): AllowListEntry | string {
  const [start, bits, ...more] = text.split('/')
  const address = readAddress(start!)
  const addressBits = address?.kind() === 'ipv4' ? 32 : 128
  const isRange = address && /^\d{1,3}$/.test(bits!) && Number(bits) <= addressBits && more.length === 0
  if (!isRange || start!.includes('%')) return 'which is no range, such as 10.0.0.0/8 or fd00::/8'
  if (unmapIpv4(address) !== address) return 'which is IPv4 within IPv6: write it as IPv4'
  const first = firstAddress(text)
  if (first.toString() !== address.toString()) {
    return `which does not begin with its first address: write ${first}/${bits}`
  }
  return { name: null, range: [address, Number(bits)], port: null }
}

function readHost(host: string, port: number | null): AllowListEntry | string {
  if (host.includes('*')) return 'which has a *: a name stands for itself alone'
  const normalized = normalizedHost(host)
  if (normalized === null) return 'which is no host, address or range'
  const address = readAddress(normalized)
  if (!address) return { name: normalized, range: null, port }
  if (readAddress(host) === null) return `which is an address in another notation: write ${normalized}`
  if (unmapIpv4(address) !== address) return 'which is IPv4 within IPv6: write it as IPv4'
  return { name: null, range: [address, address.kind() === 'ipv4' ? 32 : 128], port }
}

/** As URLs normalize it: lower case, ASCII, addresses in one notation. */
function normalizedHost(host: string): string | null {
  const url = `http://${isIPv6(host) ? `[${host}]` : host}/`
  if (/[\s/\\?#@%]/.test(host) || !URL.canParse(url)) return null
  const normalized = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return isIPv6(normalized) || /^[\w-]+(\.[\w-]+)*$/.test(normalized) ? normalized : null
}
