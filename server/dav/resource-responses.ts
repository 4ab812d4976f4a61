import type { Caller } from '../../core/access/member.ts'
import { type Checksums, newReadBudget } from '../../core/mount/checksums.ts'
import type { Mounted, PathSegments } from '../../core/mount/types.ts'
import { isChecksums } from './checksums.ts'
import type { DavContext } from './dav-context.ts'
import { statusLine } from './multistatus.ts'
import { hrefOf } from './paths.ts'
import { emptyElement, propertyNames, propertyOf, type Resource, resourceOf } from './properties.ts'
import { dav, escaped, type XmlName } from './xml.ts'

export type RequestedProperties = { kind: 'these'; names: XmlName[] } | { kind: 'all' } | { kind: 'names' }

const all: XmlName[] = propertyNames.map((name) => ({ namespace: dav, name }))

interface FoundResource {
  names: PathSegments
  node: Mounted
  members: Mounted[]
}

/** The answers of PROPFIND for a resource and the members of a folder. */
export class ResourceResponses {
  private readonly mounting: DavContext
  private readonly caller: Caller
  private readonly wanted: RequestedProperties

  constructor(mounting: DavContext, caller: Caller, wanted: RequestedProperties) {
    this.mounting = mounting
    this.caller = caller
    this.wanted = wanted
  }

  of(found: FoundResource): Iterable<string> | AsyncIterable<string> {
    const { wanted } = this
    const areChecksumsWanted = wanted.kind === 'these' && wanted.names.some(isChecksums)
    return areChecksumsWanted ? this.withChecksums(found) : this.withoutChecksums(found)
  }

  private *withoutChecksums({ names, node, members }: FoundResource): Generator<string> {
    yield this.make(this.resource(names, node), hrefOf(names, node.kind === 'folder'))
    const folder = hrefOf(names, true)
    const listing = `${folder} ${JSON.stringify(this.wanted)}`
    for (const member of members) {
      const resource = this.resource([...names, member.name], member)
      const make = () => this.make(resource, hrefIn(folder, member))
      yield resource.locks.length > 0 ? make() : this.mounting.responseCache.get(listing, member, make)
    }
  }

  private async *withChecksums({ names, node, members }: FoundResource): AsyncGenerator<string> {
    const allowance = newReadBudget()
    const response = async (at: PathSegments, href: string, found: Mounted) => {
      const isFile = found.kind === 'file'
      const checksums = isFile ? await this.mounting.mount.checksums(found, allowance) : null
      return this.make(this.resource(at, found), href, checksums)
    }
    yield response(names, hrefOf(names, node.kind === 'folder'), node)
    const folder = hrefOf(names, true)
    for (const member of members) yield response([...names, member.name], hrefIn(folder, member), member)
  }

  private resource(names: PathSegments, node: Mounted): Omit<Resource, 'checksums'> {
    return resourceOf(this.mounting.locks, this.caller.member.id, names, node)
  }

  private make(found: Omit<Resource, 'checksums'>, href: string, checksums: Checksums | null = null): string {
    return responseOf({ ...found, checksums }, href, this.wanted)
  }
}

const hrefIn = (folder: string, { kind, name }: Mounted): string =>
  folder + encodeURIComponent(name) + (kind === 'folder' ? '/' : '')

function responseOf(resource: Resource, href: string, wanted: RequestedProperties): string {
  const found: string[] = []
  const missing: string[] = []
  for (const name of wanted.kind === 'these' ? wanted.names : all) {
    const property = propertyOf(resource, name)
    if (property !== null) found.push(wanted.kind === 'names' ? emptyElement(name) : property)
    else if (wanted.kind === 'these') missing.push(emptyElement(name))
  }
  const parts = [
    ...(found.length > 0 || missing.length === 0 ? [propstat(found.join(''), 200)] : []),
    ...(missing.length > 0 ? [propstat(missing.join(''), 404)] : []),
  ]
  return `<D:response><D:href>${escaped(href)}</D:href>${parts.join('')}</D:response>\n`
}

export const propstat = (properties: string, status: number): string =>
  `<D:propstat><D:prop>${properties}</D:prop><D:status>${statusLine(status)}</D:status></D:propstat>`
