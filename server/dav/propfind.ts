import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { newReadBudget } from '../../core/mount/checksums.ts'
import type { Mounted, PathSegments } from '../../core/mount/types.ts'
import type { Context } from '../context.ts'
import { isChecksums } from './checksums.ts'
import { Conditions } from './conditions.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import { sendMultistatus, statusLine } from './multistatus.ts'
import { hrefOf, namesOf } from './paths.ts'
import { emptyElement, propertyNames, propertyOf, type Resource, resourceOf } from './properties.ts'
import { childOf, dav, escaped, readXml, type XmlElement, type XmlName } from './xml.ts'

/** The most properties that are asked for at once. */
const maxProperties = 200

/** Which properties are wanted: these, all that there are, or their names alone. */
type RequestedProperties = { kind: 'these'; names: XmlName[] } | { kind: 'all' } | { kind: 'names' }

const all: XmlName[] = propertyNames.map((name) => ({ namespace: dav, name }))

/** PROPFIND (RFC 4918, 9.1): what lies at a place and, with Depth 1, in it. The whole tree at once is refused. */
export async function propfind(ctx: Context, mounting: DavContext): Promise<void> {
  const { mount, locks } = mounting
  const { caller } = ctx.state
  // Some programs of Microsoft's say `1,noroot`.
  const depth = (ctx.get('Depth') || 'infinity').toLowerCase().replace(/^1,noroot$/, '1')
  if (!['0', '1', 'infinity'].includes(depth)) throw new DavError(400, 'Depth is 0 or 1.')
  const wanted = wantedOf(await readXml(ctx, 'propfind'))
  if (depth !== '0' && depth !== '1') {
    throw new DavError(403, 'Ask for one folder at a time, with Depth: 1.', 'propfind-finite-depth')
  }
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, mounting, names)
  const node = await mount.find(caller, names)
  if (!node) throw notFoundError(ctx)
  conditions.requireAll(node.kind === 'file' ? node.tag : '')
  const isListing = depth === '1' && node.kind === 'folder'
  const nodes = isListing ? await mount.list(caller, names) : []
  // Clients look in a listing for what begins with the requested address.
  const own = isListing ? names : mount.spelled(caller, names)
  const allowance = newReadBudget()
  const areChecksumsWanted = wanted.kind === 'these' && wanted.names.some(isChecksums)
  const response = async (at: PathSegments, href: string, found: Mounted) => {
    const isSummed = areChecksumsWanted && found.kind === 'file'
    const checksums = isSummed ? await mount.checksums(found, allowance) : null
    return responseOf({ ...resourceOf(locks, caller.member.id, at, found), checksums }, href, wanted)
  }
  async function* responses() {
    yield response(own, hrefOf(own, node!.kind === 'folder'), node!)
    const folder = hrefOf(names, true)
    for (const child of nodes) {
      const href = folder + encodeURIComponent(child.name) + (child.kind === 'folder' ? '/' : '')
      yield response([...names, child.name], href, child)
    }
  }
  sendMultistatus(ctx, responses())
}

export const notFoundError = (ctx: Context): WorkspaceError =>
  new WorkspaceError('not_found', `There is nothing at ${ctx.path}.`)

function wantedOf(body: XmlElement | null): RequestedProperties {
  if (body === null || childOf(body, 'allprop')) return { kind: 'all' }
  if (childOf(body, 'propname')) return { kind: 'names' }
  const names = childOf(body, 'prop')?.children
  if (names && names.length <= maxProperties) return { kind: 'these', names }
  throw new DavError(400, `Ask for allprop, propname, or prop with at most ${maxProperties} properties.`)
}

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
