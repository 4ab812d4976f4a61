import { isPath } from '../references.ts'

export type Destination =
  | { kind: 'dead' }
  | { kind: 'external'; href: string }
  | { kind: 'page'; href: string }
  | { kind: 'path'; path: string }

/** A definition may be used thousands of times. */
const maxAddressLength = 2000

/** A placeholder for the workspace's address, to detect what a browser takes for another site. */
const placeholderOrigin = 'https://workroom.invalid'

const dead: Destination = { kind: 'dead' }

/** Parses as a browser does: `/\evil.example` is another site. @param origin the base address of the pages */
export function destinationOf(written: string, origin: string): Destination {
  if (written.length > maxAddressLength) return dead
  const address = withoutOrigin(written, origin)
  if (/^[a-z][a-z\d+.-]*:/i.test(address)) return absolute(address)
  if (!URL.canParse(address, placeholderOrigin)) return dead
  const {
    origin: resolvedOrigin,
    username,
    pathname,
    search,
    hash,
  } = new URL(address, `${placeholderOrigin}/`)
  // A path that begins with two slashes, as `/.//evil.example` does once resolved, is another site.
  if (resolvedOrigin !== placeholderOrigin || username !== '' || address === '' || pathname.startsWith('//'))
    return dead
  if (address.startsWith('#')) return { kind: 'page', href: hash }
  if (!address.startsWith('/') || isPath(address) || /^\/v1\/fs\//i.test(pathname))
    return { kind: 'path', path: address }
  return { kind: 'page', href: pathname + search + hash }
}

function withoutOrigin(written: string, origin: string): string {
  if (origin === '' || !written.startsWith(origin)) return written
  const rest = written.slice(origin.length)
  return /^[/?#]/.test(rest) ? rest : written
}

function absolute(address: string): Destination {
  if (!URL.canParse(address)) return dead
  const { protocol, username, password, href } = new URL(address)
  if (protocol === 'mailto:') return { kind: 'external', href }
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && username === '' && password === '' ? { kind: 'external', href } : dead
}
