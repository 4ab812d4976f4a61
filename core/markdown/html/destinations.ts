import { isPath } from '../references.ts'

/** Where a link leads. */
export type Destination =
  /** Nowhere that it could be followed to without harm. */
  | { kind: 'dead' }
  /** To another site, or to somebody's mail. */
  | { kind: 'external'; href: string }
  /** To a page of the workspace, or a place on this one. */
  | { kind: 'page'; href: string }
  /** To a document or file of the workspace, by a path of which only the workspace knows where it leads. */
  | { kind: 'path'; path: string }

/** The longest address that is followed, in UTF-16 code units: one definition can be meant thousands of times. */
const maxAddressLength = 2000

/** Stands for the workspace's own address, so that whatever a browser would take for another site shows. */
const here = 'https://workroom.invalid'

const dead: Destination = { kind: 'dead' }

/**
 * Reads the destination of a link or picture as a browser would, which forgives much: `/\evil.example` is another site,
 * and so is `java\nscript:` a script.
 * @param origin the base address of the workspace's pages
 */
export function destinationOf(written: string, origin: string): Destination {
  if (written.length > maxAddressLength) return dead
  const address = withoutOrigin(written, origin)
  if (/^[a-z][a-z\d+.-]*:/i.test(address)) return absolute(address)
  if (!URL.canParse(address, here)) return dead
  const { origin: leadsTo, username, pathname, search, hash } = new URL(address, `${here}/`)
  // A path that begins with two slashes, as `/.//evil.example` does once it is resolved, is another site.
  if (leadsTo !== here || username !== '' || address === '' || pathname.startsWith('//')) return dead
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
