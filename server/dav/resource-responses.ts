import type { Caller } from '../../core/access/member.ts'
import { type Checksums, newReadBudget } from '../../core/mount/checksums.ts'
import type { Mounted, PathSegments } from '../../core/mount/types.ts'
import { isChecksums } from './checksums.ts'
import type { DavContext } from './dav-context.ts'
import { statusLine } from './multistatus.ts'
import { hrefOf } from './paths.ts'
import { emptyElement, propertyNames, propertyOf, type Resource, resourceOf } from './properties.ts'
import { dav, escapeXml, type XmlName } from './xml.ts'

export type RequestedProperties = { kind: 'these'; names: XmlName[] } | { kind: 'all' } | { kind: 'names' }

const allProperties: XmlName[] = propertyNames.map((name) => ({ namespace: dav, name }))

interface FoundResource {
  names: PathSegments
  node: Mounted
  members: Mounted[]
}

/** The answers of PROPFIND for a resource and the members of a folder. */
export class ResourceResponses {
  constructor(
    private readonly davContext: DavContext,
    private readonly caller: Caller,
    private readonly requested: RequestedProperties,
  ) {}

  of(found: FoundResource): Iterable<string> | AsyncIterable<string> {
    const { requested } = this
    const needsChecksums = requested.kind === 'these' && requested.names.some(isChecksums)
    return needsChecksums ? this.withChecksums(found) : this.withoutChecksums(found)
  }

  private *withoutChecksums({ names, node, members }: FoundResource): Generator<string> {
    yield this.make(this.resource(names, node), hrefOf(names, node.kind === 'folder'))
    const folder = hrefOf(names, true)
    const listing = `${folder} ${JSON.stringify(this.requested)}`
    for (const member of members) {
      const resource = this.resource([...names, member.name], member)
      const make = () => this.make(resource, hrefIn(folder, member))
      yield resource.locks.length > 0 ? make() : this.davContext.responseCache.get(listing, member, make)
    }
  }

  private async *withChecksums({ names, node, members }: FoundResource): AsyncGenerator<string> {
    const readBudget = newReadBudget()
    const response = async (memberNames: PathSegments, href: string, member: Mounted) => {
      const isFile = member.kind === 'file'
      const checksums = isFile ? await this.davContext.mount.checksums(member, readBudget) : null
      return this.make(this.resource(memberNames, member), href, checksums)
    }
    yield response(names, hrefOf(names, node.kind === 'folder'), node)
    const folder = hrefOf(names, true)
    for (const member of members) yield response([...names, member.name], hrefIn(folder, member), member)
  }

  private resource(names: PathSegments, node: Mounted): Omit<Resource, 'checksums'> {
    return resourceOf(this.davContext.locks, this.caller.member.id, names, node)
  }

  private make(
    resource: Omit<Resource, 'checksums'>,
    href: string,
    checksums: Checksums | null = null,
  ): string {
    return responseOf({ ...resource, checksums }, href, this.requested)
  }
}

const hrefIn = (folder: string, { kind, name }: Mounted): string =>
  folder + encodeURIComponent(name) + (kind === 'folder' ? '/' : '')

function responseOf(resource: Resource, href: string, requested: RequestedProperties): string {
  const foundProperties: string[] = []
  const missingProperties: string[] = []
  for (const name of requested.kind === 'these' ? requested.names : allProperties) {
    const property = propertyOf(resource, name)
    if (property !== null) foundProperties.push(requested.kind === 'names' ? emptyElement(name) : property)
    else if (requested.kind === 'these') missingProperties.push(emptyElement(name))
  }
  const parts = [
    ...(foundProperties.length > 0 || missingProperties.length === 0
      ? [propstat(foundProperties.join(''), 200)]
      : []),
    ...(missingProperties.length > 0 ? [propstat(missingProperties.join(''), 404)] : []),
  ]
  return `<D:response><D:href>${escapeXml(href)}</D:href>${parts.join('')}</D:response>\n`
}

export const propstat = (properties: string, status: number): string =>
  `<D:propstat><D:prop>${properties}</D:prop><D:status>${statusLine(status)}</D:status></D:propstat>`
