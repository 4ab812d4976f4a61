import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Range = [Address, number]

export const readAddress = (text: string): Address | null => (isIP(text) === 0 ? null : ipaddr.parse(text))

export const isWithin = (address: Address, [first, bits]: Range): boolean =>
  address.kind() === first.kind() && address.match(first, bits)

const globalUnicast: Range = [ipaddr.IPv6.parse('2000::'), 3]

/** Azure's virtual machines reach host and metadata under this address. */
const azureHost: Range = [ipaddr.IPv4.parse('168.63.129.16'), 32]

/** Whether an address is on the internet, without a special meaning. */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv6' ? isWithin(address, globalUnicast) : !isWithin(address, azureHost)
}

/** Translators and relays forward to the IPv4 address embedded in these. */
const translationPrefixes: { range: Range; firstByte: number; isInverted: boolean }[] = [
  { range: [ipaddr.IPv6.parse('64:ff9b::'), 96], firstByte: 12, isInverted: false }, // NAT64
  { range: [ipaddr.IPv6.parse('2002::'), 16], firstByte: 2, isInverted: false }, // 6to4
  { range: [ipaddr.IPv6.parse('2001::'), 32], firstByte: 12, isInverted: true }, // Teredo
]

/** The IPv4 address to which a translator forwards; null if there is none. */
export function embeddedIpv4(address: Address): Address | null {
  const translation = translationPrefixes.find(({ range }) => isWithin(address, range))
  if (!translation) return null
  const bytes = address.toByteArray().slice(translation.firstByte, translation.firstByte + 4)
  return new ipaddr.IPv4(translation.isInverted ? bytes.map((byte) => byte ^ 0xff) : bytes)
}

/** This machine connects to `::ffff:192.0.2.1` by IPv4. */
export const unmapIpv4 = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address

export const firstAddress = (range: string): Address =>
  (range.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4).networkAddressFromCIDR(range)
