import { contentType } from 'mime-types'
import type { Checksums } from '../../core/mount/checksums.ts'
import type { Mounted, PathSegments } from '../../core/mount/types.ts'
import { checksumsElement, isChecksums } from './checksums.ts'
import type { DavLocks, Lock } from './locks.ts'
import { hrefOf } from './paths.ts'
import { dav, escapeXml, type XmlName } from './xml.ts'

export interface Resource {
  names: PathSegments
  node: Mounted
  locks: Lock[]
  memberId: string
  /** Null if not requested or not available now. */
  checksums: Checksums | null
}

const httpDate = (ms: number) => new Date(ms).toUTCString()

/** The supported properties (RFC 4918, 15) as XML; null where a resource lacks one. */
const properties: Record<string, (resource: Resource) => string | null> = {
  resourcetype: ({ node }) => (node.kind === 'folder' ? '<D:collection/>' : ''),
  displayname: ({ node }) => escapeXml(node.name === '' ? 'Workroom' : node.name),
  getcontentlength: ({ node }) => (node.kind === 'file' ? String(node.size) : null),
  getcontenttype: ({ node }) =>
    node.kind === 'file' ? escapeXml(contentType(node.type) || node.type) : 'httpd/unix-directory',
  getetag: ({ node }) => (node.kind === 'file' ? escapeXml(etagOf(node)) : null),
  getlastmodified: ({ node }) => (node.changedMs === null ? null : httpDate(node.changedMs)),
  supportedlock: () => supportedLocks,
  lockdiscovery: ({ locks, memberId }) => lockDiscovery(locks, memberId),
}

export const propertyNames: readonly string[] = Object.keys(properties)

export const etagOf = ({ tag, isTagWeak }: { tag: string; isTagWeak: boolean }): string =>
  isTagWeak ? `W/"${tag}"` : `"${tag}"`

export function propertyOf(resource: Resource, property: XmlName): string | null {
  const { namespace, name } = property
  if (isChecksums(property)) return resource.checksums && checksumsElement(resource.checksums)
  const value = namespace === dav && Object.hasOwn(properties, name) ? properties[name]!(resource) : null
  if (value === null) return null
  return value === '' ? `<D:${name}/>` : `<D:${name}>${value}</D:${name}>`
}

export const emptyElement = ({ namespace, name }: XmlName): string => {
  if (namespace === dav) return `<D:${name}/>`
  return namespace === '' ? `<${name} xmlns=""/>` : `<x:${name} xmlns:x="${escapeXml(namespace)}"/>`
}

const lockEntry = (scope: string) =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`
const supportedLocks = lockEntry('exclusive') + lockEntry('shared')

/** Shows a token only to the member who holds the lock. */
export const lockDiscovery = (locks: Lock[], memberId: string): string =>
  locks
    .map((lock) => {
      const { text, isAddress } = lock.owner
      const owner = isAddress ? `<D:href>${escapeXml(text)}</D:href>` : escapeXml(text)
      const token =
        lock.memberId === memberId
          ? `<D:locktoken><D:href>${escapeXml(lock.token)}</D:href></D:locktoken>`
          : ''
      return `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${lock.isShared ? 'shared' : 'exclusive'}/></D:lockscope><D:depth>${lock.isDeep ? 'infinity' : '0'}</D:depth>${text === '' ? '' : `<D:owner>${owner}</D:owner>`}<D:timeout>Second-${lock.seconds}</D:timeout>${token}<D:lockroot><D:href>${escapeXml(hrefOf(lock.names, false))}</D:href></D:lockroot></D:activelock>`
    })
    .join('')

export const resourceOf = (
  locks: DavLocks,
  memberId: string,
  names: PathSegments,
  node: Mounted,
): Omit<Resource, 'checksums'> => ({
  names,
  node,
  locks: locks.on(names),
  memberId,
})
