import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { parseHttpDate, parseUnixTime } from '../../core/mount/file-times.ts'
import type { Context } from '../context.ts'
import { Conditions, requireUnlocked } from './conditions.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import { sendMultistatus } from './multistatus.ts'
import { hrefOf, namesOf } from './paths.ts'
import { emptyElement } from './properties.ts'
import { notFoundError } from './propfind.ts'
import { propstat } from './resource-responses.ts'
import { childOf, dav, escapeXml, readXml, type XmlElement, type XmlName } from './xml.ts'

const isWin32Namespace = ({ namespace }: XmlName): boolean =>
  namespace.startsWith('urn:schemas-microsoft-com:')

/** The properties by which programs set a file's time, and how each writes it. */
function timeParserFor(property: XmlName): ((text: string) => number | null) | null {
  if (isWin32Namespace(property)) return property.name === 'Win32LastModifiedTime' ? parseHttpDate : null
  if (property.namespace !== dav) return null
  if (property.name === 'getlastmodified') return parseHttpDate
  return property.name === 'lastmodified' ? (text) => parseUnixTime(text) ?? parseHttpDate(text) : null
}

/** Windows sets these after a copy; a refusal would look like a failed copy. They are not stored. */
const isAcceptedSilently = (property: XmlName): boolean =>
  (isWin32Namespace(property) && timeParserFor(property) === null) ||
  (property.namespace === dav && property.name === 'creationdate')

/** PROPPATCH (RFC 4918, 9.2) sets a file's time. All other properties are refused. */
export async function proppatch(ctx: Context, davContext: DavContext): Promise<void> {
  const { mount } = davContext
  const { caller } = ctx.state
  const names = namesOf(ctx.path)
  const body = await readXml(ctx, 'propertyupdate')
  const changes = (body?.children ?? []).flatMap(changesIn)
  if (changes.length === 0) throw new DavError(400, 'Name the properties, in set or remove.')
  const node = await mount.find(caller, names)
  if (!node) throw notFoundError(ctx)
  const conditions = await Conditions.of(ctx, davContext, names)
  conditions.requireAll(node.kind === 'file' ? node.tag : '')
  mount.requireWriting(caller, names)
  requireUnlocked(davContext, caller, conditions, { names })
  const problems = changes.map(problemOf)
  const mtimeMs = changes.findLast(({ mtimeMs }) => mtimeMs !== null)?.mtimeMs ?? null
  if (problems.every((problem) => problem === null) && mtimeMs !== null) {
    const isSet = await mount.setTime(caller, names, mtimeMs, node.kind === 'file' ? node.tag : null)
    if (!isSet)
      throw new WorkspaceError('conflict', 'The time could not be set: the file was changed at this moment.')
  }
  const isDone = problems.every((problem) => problem === null)
  const parts = changes.map(({ property }, index) =>
    propstat(emptyElement(property), problems[index] ?? (isDone ? 200 : 424)),
  )
  const href = escapeXml(hrefOf(names, node.kind === 'folder'))
  sendMultistatus(ctx, [`<D:response><D:href>${href}</D:href>${parts.join('')}</D:response>\n`])
}

interface PropertyChange {
  property: XmlName
  isSet: boolean
  /** Null if the property does not set the file's time, or to no valid time. */
  mtimeMs: number | null
}

function changesIn(instruction: XmlElement): PropertyChange[] {
  const isSet = instruction.name === 'set'
  const properties = childOf(instruction, 'prop')?.children ?? []
  return properties.map((property) => ({
    property,
    isSet,
    mtimeMs: isSet ? (timeParserFor(property)?.(property.text) ?? null) : null,
  }))
}

/** Returns the status that refuses a change; null if it can be made. */
function problemOf({ property, isSet, mtimeMs }: PropertyChange): 403 | 409 | null {
  if (isAcceptedSilently(property)) return null
  if (!isSet || timeParserFor(property) === null) return 403
  return mtimeMs === null ? 409 : null
}
