import type { PathSegments } from '../../core/mount/types.ts'
import { isInMount, mountRoot } from '../../core/paths.ts'
import type { Context } from '../context.ts'
import { DavError } from './dav-error.ts'

/** What `validate-request.ts` refuses in a request's own path. */
const invalidPath = /%(?:2f|5c|00)|\/(?:\.|%2e){1,2}(?:\/|$)|\/\//i

export const namesOf = (path: string): PathSegments =>
  path
    .slice(mountRoot.length)
    .split('/')
    .filter((name) => name !== '')
    .map(decodeURIComponent)

/** A folder's path ends in a slash. */
export const hrefOf = (names: PathSegments, isFolder: boolean): string =>
  [mountRoot, ...names.map(encodeURIComponent)].join('/') + (isFolder ? '/' : '')

/** @throws DavError 400 without a Destination; 502 for one outside the mount */
export function destinationOf(ctx: Context, publicUrl: string): PathSegments {
  const header = ctx.req.headers.destination
  if (typeof header !== 'string' || header === '') {
    throw new DavError(400, 'The Destination header is required.')
  }
  const names = namesOfAddress(header, [ctx.req.headers.host, hostOf(publicUrl)])
  if (names === null) {
    throw new DavError(
      502,
      `The Destination is not below ${mountRoot}/ of this server; nothing can be copied or moved elsewhere.`,
    )
  }
  return names
}

/** Returns null for an address outside the mount. @param hosts the names of this server */
export function namesOfAddress(address: string, hosts: (string | undefined)[]): PathSegments | null {
  const [, host, path = ''] = /^(?:https?:\/\/([^/?#]*))?([^?#]*)$/i.exec(address) ?? []
  if (host !== undefined && !hosts.some((own) => own?.toLowerCase() === host.toLowerCase())) return null
  if (!isInMount(path) || invalidPath.test(path)) return null
  try {
    return namesOf(path)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined)
