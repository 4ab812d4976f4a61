import type { Element, ElementContent, Properties } from 'hast'
import type { FootnoteReference, Image, ImageReference, Link, LinkReference } from 'mdast'
import { defaultHandlers, type Handlers, type State } from 'mdast-util-to-hast'
import { isDownloadPath, memberPagePath } from '../../paths.ts'
import type { Slot } from '../types.ts'
import { footnotePrefix, type RenderContext } from './context.ts'
import { type Destination, destinationOf } from './destinations.ts'
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
