import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Context } from '../context.ts'
import { Conditions } from './conditions.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import { sendMultistatus } from './multistatus.ts'
import { namesOf } from './paths.ts'
import { type RequestedProperties, ResourceResponses } from './resource-responses.ts'
import { childOf, readXml, type XmlElement } from './xml.ts'

const maxProperties = 200

/** PROPFIND (RFC 4918, 9.1) of a resource or, with Depth 1, a folder. Depth infinity is refused. */
export async function propfind(ctx: Context, davContext: DavContext): Promise<void> {
  const { mount } = davContext
  const { caller } = ctx.state
  // Some Microsoft programs send `1,noroot`.
  const depth = (ctx.get('Depth') || 'infinity').toLowerCase().replace(/^1,noroot$/, '1')
  if (!['0', '1', 'infinity'].includes(depth)) throw new DavError(400, 'Depth is 0 or 1.')
  const requested = requestedProperties(await readXml(ctx, 'propfind'))
  if (depth !== '0' && depth !== '1') {
    throw new DavError(403, 'Ask for one folder at a time, with Depth: 1.', 'propfind-finite-depth')
  }
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, davContext, names)
  const node = await mount.find(caller, names)
  if (!node) throw notFoundError(ctx)
  conditions.requireAll(node.kind === 'file' ? node.tag : '')
  const isListing = depth === '1' && node.kind === 'folder'
  const members = isListing ? await mount.list(caller, names) : []
  // Clients look in a listing for hrefs that begin with the requested path, as they spelled it.
  const spelledNames = isListing ? names : mount.resolveNames(caller, names)
  const responses = new ResourceResponses(davContext, caller, requested)
  sendMultistatus(ctx, responses.of({ names: spelledNames, node, members }))
}

export const notFoundError = (ctx: Context): WorkspaceError =>
  new WorkspaceError('not_found', `There is nothing at ${ctx.path}.`)

function requestedProperties(body: XmlElement | null): RequestedProperties {
  if (body === null || childOf(body, 'allprop')) return { kind: 'all' }
  if (childOf(body, 'propname')) return { kind: 'names' }
  const names = childOf(body, 'prop')?.children
  if (names && names.length <= maxProperties) return { kind: 'these', names }
  throw new DavError(400, `Ask for allprop, propname, or prop with at most ${maxProperties} properties.`)
}
