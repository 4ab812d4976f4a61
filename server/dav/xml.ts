import { isUtf8 } from 'node:buffer'
import { Tokenizer } from 'htmlparser2'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Context } from '../context.ts'
import { readBody } from '../middleware/body.ts'

/** XML 1.0 cannot represent control characters and unpaired surrogates. */
const invalidCharacters = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]|\p{Cs}/gu
const safeText = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x7e]*$/

export const escapeXml = (text: string): string => (safeText.test(text) ? text : escapeAll(text))

const escapeAll = (text: string): string =>
  text
    .replace(invalidCharacters, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

export interface XmlName {
  namespace: string
  name: string
}

export interface XmlElement extends XmlName {
  children: XmlElement[]
  text: string
}

export const dav = 'DAV:'

export const childOf = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((child) => child.namespace === dav && child.name === name)

const maxBytes = 32 * 1024
const maxDepth = 32

/** Null without a body. @throws WorkspaceError `too_large`; `bad_request` for other XML than `root` */
export async function readXml(ctx: Context, root: string): Promise<XmlElement | null> {
  const body = await readBody(ctx, maxBytes, 'XML')
  if (body.length === 0) return null
  const element = isUtf8(body) ? parse(body.toString().replace(/^\uFEFF/, '')) : null
  if (element?.namespace === dav && element.name === root) return element
  throw new WorkspaceError(
    'bad_request',
    `The body must be UTF-8 XML with the root element ${root} of WebDAV.`,
  )
}

const namePattern = /^[\p{L}_][\p{L}\p{N}\p{M}._-]*(?::[\p{L}_][\p{L}\p{N}\p{M}._-]*)?$/u
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

interface OpenElement {
  tag: string
  element: XmlElement
  attributes: Map<string, string>
  /** By prefix; `''` is the default. */
  namespaces: Map<string, string>
}

/** Null for malformed XML, and for document types: entities are never expanded. */
function parse(source: string): XmlElement | null {
  const open: OpenElement[] = []
  let root: XmlElement | null = null
  let isBroken = false
  let attribute = ''
  let value = ''
  const fail = () => {
    isBroken = true
  }
  const addText = (text: string) => {
    const top = open.at(-1)
    if (top) top.element.text += text
    else if (text.trim() !== '') fail()
  }
  const begin = () => {
    const top = open.at(-1)
    if (isBroken || !top) return fail()
    const parent = open.at(-2)
    const namespaces = namespacesOf(top.attributes, parent?.namespaces)
    const name = namespaces && qualifyName(top.tag, namespaces)
    if (!name) return fail()
    Object.assign(top.element, name)
    top.namespaces = namespaces
    if (parent) parent.element.children.push(top.element)
    else if (root) fail()
    else root = top.element
  }
  const end = (tag: string) => {
    const top = open.pop()
    if (top?.tag !== tag) return fail()
    const parent = open.at(-1)
    if (parent) parent.element.text += top.element.text
  }
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(from, to) {
        const element = { namespace: '', name: '', children: [], text: '' }
        open.push({ tag: source.slice(from, to), element, attributes: new Map(), namespaces: new Map() })
        if (open.length > maxDepth) fail()
      },
      onattribname(from, to) {
        attribute = source.slice(from, to)
        value = ''
      },
      onattribdata(from, to) {
        value += source.slice(from, to)
      },
      onattribentity(code) {
        value += String.fromCodePoint(code)
      },
      onattribend(quote) {
        const attributes = open.at(-1)?.attributes
        if (!attributes || quote < 2 || attributes.has(attribute) || !namePattern.test(attribute)) fail()
        else attributes.set(attribute, value)
      },
      onopentagend: begin,
      onselfclosingtag() {
        begin()
        end(open.at(-1)?.tag ?? '')
      },
      onclosetag: (from, to) => end(source.slice(from, to)),
      ontext: (from, to) => addText(source.slice(from, to)),
      ontextentity: (code) => addText(String.fromCodePoint(code)),
      oncdata: (from, to, offset) => addText(source.slice(from, to - offset)),
      oncomment() {},
      ondeclaration: fail,
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  return isBroken || open.length > 0 ? null : root
}

/** Null if a prefix is bound to an empty namespace. */
function namespacesOf(
  attributes: Map<string, string>,
  inherited: Map<string, string> = new Map([
    ['', ''],
    ['xml', xmlNamespace],
  ]),
): Map<string, string> | null {
  const namespaces = new Map(inherited)
  for (const [name, value] of attributes) {
    if (name === 'xmlns') namespaces.set('', value)
    if (!name.startsWith('xmlns:')) continue
    if (value === '') return null
    namespaces.set(name.slice('xmlns:'.length), value)
  }
  return namespaces
}

/** Null for an invalid name or an unknown prefix. */
function qualifyName(tag: string, namespaces: Map<string, string>): XmlName | null {
  if (!namePattern.test(tag)) return null
  const colon = tag.indexOf(':')
  const namespace = namespaces.get(tag.slice(0, Math.max(colon, 0)))
  return namespace === undefined ? null : { namespace, name: tag.slice(colon + 1) }
}
