import type { Element, ElementContent, Properties } from 'hast'
import type {
  Code,
  FootnoteDefinition,
  FootnoteReference,
  Heading,
  Html as HtmlNode,
  Image,
  ImageReference,
  InlineCode,
  Link,
  LinkReference,
  ListItem,
  Nodes,
  Parents,
  RootContent,
  Table,
  Text,
} from 'mdast'
import { defaultHandlers, type Handlers, type State } from 'mdast-util-to-hast'
import { isDownloadPath, memberPagePath } from '../../paths.ts'
import type { Block } from '../blocks.ts'
import type { Slot } from '../types.ts'
import type { HeadingView } from '../views.ts'
import { type Destination, destinationOf } from './destinations.ts'
import type { CodeHighlighter } from './highlighting.ts'
import type { LinkToken, Mention } from './inline-tokens.ts'

/** Further tokens, paths and images stay text. */
const maxSlots = 1000

/** Further diagrams are not drawn. */
const maxDiagrams = 20

/** In UTF-16 code units: a definition may be used thousands of times. */
const maxTitleLength = 300

/** Prefix of footnote ids. An anchor of a heading contains no full stop. */
export const footnotePrefix = 'note.'

/** Characters that change the direction of text, which could make code look different from what it is. */
const bidiControls = /([\u202A-\u202E\u2066-\u2069])/

export type DisplayedBlock = Pick<Block, 'id' | 'node'>

export interface RenderContext {
  origin: string
  nodes: RootContent[]
  blocks: Map<Nodes, DisplayedBlock>
  headings: Map<DisplayedBlock, HeadingView>
  isSaid: boolean
  colouring: CodeHighlighter | null
  slots: Slot[]
  diagrams: string[]
}

/** The handlers for one file: they keep state to detect links within links. */
export function handlersFor(page: RenderContext): Handlers {
  let isInLink = false
  /** By address, since definitions may be used often. */
  const destinations = new Map<string, Destination>()

  const destinationAt = (url: string): Destination => {
    const destination = destinations.get(url) ?? destinationOf(url, page.origin)
    destinations.set(url, destination)
    return destination
  }

  const slot = (tagName: 'a' | 'img', content: Slot, children: ElementContent[] = []): Element | null => {
    if (page.slots.length >= maxSlots) return null
    page.slots.push(content)
    return element(tagName, { dataSlot: String(page.slots.length - 1) }, children)
  }

  const textOf = (state: State, node: Link | LinkReference): ElementContent[] => {
    isInLink = true
    const children = state.all(node)
    isInLink = false
    return children
  }

  const link = (state: State, node: Link | LinkReference) => {
    const { url, title } = targetOf(state, node)
    const children = textOf(state, node)
    const destination = destinationAt(url)
    if (destination.kind === 'path') {
      const place = slot('a', { kind: 'link', destination: destination.path, title }, children)
      return place ?? deadText(children)
    }
    if (destination.kind === 'dead') return deadText(children)
    return element('a', { href: destination.href, ...relation(destination), ...withTitle(title) }, children)
  }

  const picture = (state: State, node: Image | ImageReference) => {
    const { url, title } = targetOf(state, node)
    const alt = node.alt ?? ''
    const destination = destinationAt(url)
    const shown = text(alt || url.slice(0, maxTitleLength))
    const isOurs =
      destination.kind === 'path' || (destination.kind === 'page' && isDownloadPath(destination.href))
    if (isOurs && !(page.isSaid && isInLink)) {
      const path = destination.kind === 'path' ? destination.path : destination.href
      const place = slot('img', { kind: 'picture', destination: path, alt, title, isInLink })
      if (place) return place
    }
    // An image of another site would tell that site who reads this, and when.
    if (destination.kind !== 'external' || isInLink) return isInLink ? shown : deadText([shown])
    return element('a', { href: destination.href, ...relation(destination), ...withTitle(title) }, [shown])
  }

  const ofDocument: Handlers = {
    footnoteReference(state: State, node: FootnoteReference) {
      const sup = defaultHandlers.footnoteReference(state, node) as Element
      const [reference] = sup.children as [Element]
      reference.properties.ariaDescribedBy = [`${footnotePrefix}label`]
      return isInLink ? element('sup', {}, reference.children) : sup
    },
  }

  return {
    ...(page.isSaid ? messageHandlers : ofDocument),

    // The nodes passed as the root are definitions only.
    root(state: State) {
      const shown = page.nodes.flatMap((node) => tagged(page, node, state.one(node, undefined)))
      return { type: 'root', children: state.wrap(shown, true) } as never
    },

    mention(_: State, { value, member }: Mention) {
      const properties = { className: ['mention'], dataMember: member }
      const name = [element('bdi', {}, [text(value)])]
      // `@here` and the like are no members.
      return isInLink || !member.startsWith('mem_')
        ? element('span', properties, name)
        : element('a', { ...properties, href: memberPagePath(member) }, name)
    },

    token: (_: State, { value }: LinkToken) => slot('a', { kind: 'token', token: value }) ?? text(value),

    link,
    linkReference: link,
    image: picture,
    imageReference: picture,

    html: (_: State, { value }: HtmlNode, parent: Parents | undefined) =>
      isInline(parent) ? text(value) : element('pre', { className: ['html'], tabIndex: 0 }, [text(value)]),

    inlineCode: (_: State, { value }: InlineCode) =>
      element('code', {}, isolateBidi(value.replace(/\r?\n|\r/g, ' '))),

    code(_: State, { value, lang }: Code) {
      const language = lang?.split(/\s/, 1)[0] ?? ''
      if (language.toLowerCase() === 'mermaid') {
        if (!page.isSaid && page.diagrams.length < maxDiagrams) {
          const number = page.diagrams.push(value) - 1
          return element('figure', { className: ['diagram'] }, [
            element('img', { dataDiagram: String(number) }, []),
          ])
        }
        return element('pre', { className: ['mermaid'], tabIndex: 0 }, [text(value)])
      }
      const coloured = bidiControls.test(value) ? null : (page.colouring?.highlight(value, language) ?? null)
      const properties = { dir: 'ltr', ...(language && { className: [`language-${language}`] }) }
      const code = element('code', properties, [...(coloured ?? isolateBidi(value)), text('\n')])
      return element('pre', { tabIndex: 0 }, [code])
    },

    // A wide table scrolls in its frame, also by keyboard.
    table: (state: State, node: Table) =>
      element('div', { className: ['table'], role: 'group', ariaLabel: 'Table', tabIndex: 0 }, [
        defaultHandlers.table(state, node) as Element,
      ]),

    listItem(state: State, node: ListItem, parent: Parents | undefined) {
      const item = defaultHandlers.listItem(state, node, parent as never) as Element
      if (typeof node.checked === 'boolean') {
        const box = checkboxIn(item)
        if (box) box.properties.ariaLabel = node.checked ? 'Done' : 'To do'
      }
      return item
    },
  }
}

/** For messages. Footnotes stay as written: their ids would not be unique on the page. */
const messageHandlers: Handlers = {
  heading: (state: State, node: Heading) => element('p', {}, [element('strong', {}, state.all(node))]),

  text: (_: State, { value }: Text) =>
    value
      .split(/[ \t]*(?:\r?\n|\r)[ \t]*/)
      .flatMap((line, place) =>
        place === 0 ? [text(line)] : [element('br', {}, []), text('\n'), text(line)],
      ),

  footnoteReference: (_: State, { label, identifier }: FootnoteReference) =>
    text(`[^${label ?? identifier}]`),

  footnoteDefinition: (state: State, node: FootnoteDefinition) => [
    element('p', {}, [text(`[^${node.label ?? node.identifier}]:`)]),
    ...state.all(node),
  ],
}

function tagged(
  page: RenderContext,
  node: Nodes,
  shown: ElementContent[] | ElementContent | undefined,
): ElementContent[] {
  const elements = [shown ?? []].flat()
  const [first] = elements
  const block = page.blocks.get(node)
  if (!block || first?.type !== 'element') return elements
  const anchor = page.headings.get(block)?.anchor ?? `^${block.id}`
  first.properties = { ...(anchor && { id: anchor }), dataBlock: block.id, ...first.properties }
  return elements
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

const flowParents = new Set<string>(['root', 'blockquote', 'listItem', 'footnoteDefinition'])

const isInline = (parent: Parents | undefined): boolean =>
  parent !== undefined && !flowParents.has(parent.type)

/** Shows direction-changing characters instead of applying them. */
function isolateBidi(code: string): ElementContent[] {
  if (!bidiControls.test(code)) return [text(code)]
  return code
    .split(bidiControls)
    .filter((part) => part !== '')
    .map((part) =>
      bidiControls.test(part) ? element('span', { className: ['control'] }, [text(named(part))]) : text(part),
    )
}

const named = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase()}`

function checkboxIn({ children }: Element): Element | null {
  for (const child of children) {
    if (child.type !== 'element') continue
    if (child.tagName === 'input') return child
    if (child.tagName === 'p') return checkboxIn(child)
  }
  return null
}

function element(tagName: string, properties: Properties, children: ElementContent[]): Element {
  return { type: 'element', tagName, properties, children }
}

const text = (value: string): ElementContent => ({ type: 'text', value })
