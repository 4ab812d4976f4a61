import type { Element, ElementContent, Properties } from 'hast'
import type { FootnoteReference, Image, ImageReference, Link, LinkReference } from 'mdast'
import { defaultHandlers, type Handlers, type State } from 'mdast-util-to-hast'
import { isDownloadPath, memberPagePath } from '../../paths.ts'
import { isPath } from '../references.ts'
import type { Slot } from '../types.ts'
import { footnotePrefix, type RenderContext } from './context.ts'
import { element, text } from './elements.ts'
import type { LinkToken, Mention } from './inline-tokens.ts'

/** Further tokens, paths and images stay text. */
const maxSlots = 1000

const maxTitleLength = 300

interface LinkContext {
  page: RenderContext
  isInLink: boolean
  destinations: Map<string, Destination>
}

export function linkHandlers(page: RenderContext): Handlers {
  const context: LinkContext = { page, isInLink: false, destinations: new Map() }
  const link = (state: State, node: Link | LinkReference) => renderLink(context, state, node)
  const image = (state: State, node: Image | ImageReference) => renderImage(context, state, node)
  return {
    link,
    linkReference: link,
    image,
    imageReference: image,
    mention: (_: State, node: Mention) => mention(context, node),
    token: (_: State, { value }: LinkToken) =>
      slot(page, 'a', { kind: 'token', token: value }) ?? text(value),
    ...(!page.isMessage && {
      footnoteReference: (state: State, node: FootnoteReference) => footnoteReference(context, state, node),
    }),
  }
}

function renderLink(context: LinkContext, state: State, node: Link | LinkReference): Element {
  const { url, title } = targetOf(state, node)
  const children = textOf(context, state, node)
  const destination = destinationAt(context, url)
  if (destination.kind === 'path') {
    const content: Slot = { kind: 'link', destination: destination.path, title }
    return slot(context.page, 'a', content, children) ?? deadText(children)
  }
  if (destination.kind === 'dead') return deadText(children)
  return element('a', { href: destination.href, ...relation(destination), ...withTitle(title) }, children)
}

function textOf(context: LinkContext, state: State, node: Link | LinkReference): ElementContent[] {
  context.isInLink = true
  const children = state.all(node)
  context.isInLink = false
  return children
}

function renderImage(context: LinkContext, state: State, node: Image | ImageReference): ElementContent {
  const { page, isInLink } = context
  const { url, title } = targetOf(state, node)
  const alt = node.alt ?? ''
  const destination = destinationAt(context, url)
  const fallback = text(alt || url.slice(0, maxTitleLength))
  const isOwnFile =
    destination.kind === 'path' || (destination.kind === 'page' && isDownloadPath(destination.href))
  if (isOwnFile && !(page.isMessage && isInLink)) {
    const path = destination.kind === 'path' ? destination.path : destination.href
    const image = slot(page, 'img', { kind: 'picture', destination: path, alt, title, isInLink })
    if (image) return image
  }
  // An image of another site would tell that site who reads this, and when.
  if (destination.kind !== 'external' || isInLink) return isInLink ? fallback : deadText([fallback])
  return element('a', { href: destination.href, ...relation(destination), ...withTitle(title) }, [fallback])
}

function mention({ isInLink }: LinkContext, { value, member }: Mention): Element {
  const properties = { className: ['mention'], dataMember: member }
  const name = [element('bdi', {}, [text(value)])]
  // Broadcasts such as `@here` are not members.
  return isInLink || !member.startsWith('mem_')
    ? element('span', properties, name)
    : element('a', { ...properties, href: memberPagePath(member) }, name)
}

function footnoteReference({ isInLink }: LinkContext, state: State, node: FootnoteReference): Element {
  const sup = defaultHandlers.footnoteReference(state, node) as Element
  const [reference] = sup.children as [Element]
  reference.properties.ariaDescribedBy = [`${footnotePrefix}label`]
  return isInLink ? element('sup', {}, reference.children) : sup
}

function destinationAt({ destinations, page }: LinkContext, url: string): Destination {
  const destination = destinations.get(url) ?? destinationOf(url, page.origin)
  destinations.set(url, destination)
  return destination
}

function slot(
  { slots }: RenderContext,
  tagName: 'a' | 'img',
  content: Slot,
  children: ElementContent[] = [],
): Element | null {
  if (slots.length >= maxSlots) return null
  slots.push(content)
  return element(tagName, { dataSlot: String(slots.length - 1) }, children)
}

interface Target {
  url: string
  title: string | null
}

function targetOf(state: State, node: Link | LinkReference | Image | ImageReference): Target {
  const target =
    node.type === 'link' || node.type === 'image'
      ? node
      : state.definitionById.get(String(node.identifier).toUpperCase())
  return { url: target?.url ?? '', title: target?.title?.slice(0, maxTitleLength) ?? null }
}

const relation = ({ kind }: { kind: 'external' | 'page' }): Properties =>
  kind === 'external' ? { rel: ['noopener', 'noreferrer', 'nofollow'] } : {}

const withTitle = (title: string | null): Properties => (title === null ? {} : { title })

const deadText = (children: ElementContent[]): Element => element('span', { className: ['dead'] }, children)

type Destination =
  | { kind: 'dead' }
  | { kind: 'external'; href: string }
  | { kind: 'page'; href: string }
  | { kind: 'path'; path: string }

/** A definition may be used thousands of times. */
const maxAddressLength = 2000

/** A placeholder for the workspace's address, to detect what a browser takes for another site. */
const placeholderOrigin = 'https://workroom.invalid'

const dead: Destination = { kind: 'dead' }

/** Parses as a browser does: `/\evil.example` is another site. @param origin the base address of the pages */
function destinationOf(written: string, origin: string): Destination {
  if (written.length > maxAddressLength) return dead
  const address = withoutOrigin(written, origin)
  if (/^[a-z][a-z\d+.-]*:/i.test(address)) return absolute(address)
  if (!URL.canParse(address, placeholderOrigin)) return dead
  const {
    origin: resolvedOrigin,
    username,
    pathname,
    search,
    hash,
  } = new URL(address, `${placeholderOrigin}/`)
  // A path that begins with two slashes, as `/.//evil.example` does once resolved, is another site.
  if (resolvedOrigin !== placeholderOrigin || username !== '' || address === '' || pathname.startsWith('//'))
    return dead
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
