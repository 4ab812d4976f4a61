import type { Context } from '../context.ts'
import { Conditions, requireUnlocked } from './conditions.ts'
import type { Mounting } from './mounting.ts'
import { sendMultistatus } from './multistatus.ts'
import { hrefOf, namesOf } from './paths.ts'
import { emptyElement } from './properties.ts'
import { nothingAt, propstat } from './propfind.ts'
import { DavRefusal } from './refusal.ts'
import { childOf, dav, escaped, readXml, type XmlName } from './xml.ts'

/** Times and attributes that file managers set behind a copy: to refuse them would look as if the copy had failed. */
const isPassedOver = ({ namespace, name }: XmlName): boolean =>
  namespace.startsWith('urn:schemas-microsoft-com:') ||
  (namespace === dav && ['getlastmodified', 'creationdate', 'lastmodified'].includes(name))

/**
 * PROPPATCH (RFC 4918, 9.2). Nothing is kept of a file but its bytes, so that every property is refused; the times of
 * file managers alone are answered as if they were set.
 */
export async function proppatch(ctx: Context, mounting: Mounting): Promise<void> {
  const { mount } = mounting
  const { caller } = ctx.state
  const names = namesOf(ctx.path)
  const body = await readXml(ctx, 'propertyupdate')
  const properties = (body?.children ?? []).flatMap((change) => childOf(change, 'prop')?.children ?? [])
  if (properties.length === 0) throw new DavRefusal(400, 'Name the properties, in set or remove.')
  const node = await mount.find(caller, names)
  if (!node) throw nothingAt(ctx)
  const conditions = await Conditions.of(ctx, mounting, names)
  conditions.requireFor(node.kind === 'file' ? node.tag : '')
  mount.requireWriting(caller, names)
  requireUnlocked(mounting, caller, conditions, { names })
  const isDone = properties.every(isPassedOver)
  const parts = properties.map((property) =>
    propstat(emptyElement(property), isDone ? 200 : isPassedOver(property) ? 424 : 403),
  )
  const href = escaped(hrefOf(names, node.kind === 'folder'))
  sendMultistatus(ctx, [`<D:response><D:href>${href}</D:href>${parts.join('')}</D:response>\n`])
}
