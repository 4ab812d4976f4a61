import type { Element, ElementContent } from 'hast'
import type {
  Code,
  FootnoteDefinition,
  FootnoteReference,
  Heading,
  Html as HtmlNode,
  InlineCode,
  ListItem,
  Nodes,
  Parents,
  Table,
  Text,
} from 'mdast'
import { defaultHandlers, type Handlers, type State } from 'mdast-util-to-hast'
import type { RenderContext } from './context.ts'
import { element, text } from './elements.ts'
import { linkHandlers } from './link-handlers.ts'

/** The handlers for one file: they keep state to detect links within links. */
export const handlersFor = (page: RenderContext): Handlers => ({
  ...(page.isMessage && messageHandlers),
  ...linkHandlers(page),
  ...codeHandlers(page),

  // The nodes passed as the root are definitions only.
  root(state: State) {
    const elements = page.nodes.flatMap((node) => tagBlock(page, node, state.one(node, undefined)))
    return { type: 'root', children: state.wrap(elements, true) } as never
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
})

function tagBlock(
  page: RenderContext,
  node: Nodes,
  rendered: ElementContent[] | ElementContent | undefined,
): ElementContent[] {
  const elements = [rendered ?? []].flat()
  const [first] = elements
  const block = page.blocks.get(node)
  if (!block || first?.type !== 'element') return elements
  const anchor = page.headings.get(block)?.anchor ?? `^${block.id}`
  first.properties = { ...(anchor && { id: anchor }), dataBlock: block.id, ...first.properties }
  return elements
}

function checkboxIn({ children }: Element): Element | null {
  for (const child of children) {
    if (child.type !== 'element') continue
    if (child.tagName === 'input') return child
    if (child.tagName === 'p') return checkboxIn(child)
  }
  return null
}

const maxDiagrams = 20

/** Characters that change the direction of text, which could make code look different from what it is. */
const bidiControls = /([\u202A-\u202E\u2066-\u2069])/

const flowParents = new Set<string>(['root', 'blockquote', 'listItem', 'footnoteDefinition'])

const codeHandlers = (page: RenderContext): Handlers => ({
  html: (_: State, { value }: HtmlNode, parent: Parents | undefined) =>
    isInline(parent) ? text(value) : element('pre', { className: ['html'], tabIndex: 0 }, [text(value)]),

  inlineCode: (_: State, { value }: InlineCode) =>
    element('code', {}, isolateBidi(value.replace(/\r?\n|\r/g, ' '))),

  code(_: State, { value, lang }: Code) {
    const language = lang?.split(/\s/, 1)[0] ?? ''
    return language.toLowerCase() === 'mermaid' ? diagram(page, value) : codeBlock(page, value, language)
  },
})

const isInline = (parent: Parents | undefined): boolean =>
  parent !== undefined && !flowParents.has(parent.type)

function diagram(page: RenderContext, source: string): Element {
  if (page.isMessage || page.diagrams.length >= maxDiagrams)
    return element('pre', { className: ['mermaid'], tabIndex: 0 }, [text(source)])
  const number = page.diagrams.push(source) - 1
  return element('figure', { className: ['diagram'] }, [element('img', { dataDiagram: String(number) }, [])])
}

function codeBlock(page: RenderContext, value: string, language: string): Element {
  const coloured = bidiControls.test(value) ? null : (page.highlighter?.highlight(value, language) ?? null)
  const properties = { dir: 'ltr', ...(language && { className: [`language-${language}`] }) }
  const code = element('code', properties, [...(coloured ?? isolateBidi(value)), text('\n')])
  return element('pre', { tabIndex: 0 }, [code])
}

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

/** For messages. Footnotes stay as written: their ids would not be unique on the page. */
const messageHandlers: Handlers = {
  heading: (state: State, node: Heading) => element('p', {}, [element('strong', {}, state.all(node))]),

  text: (_: State, { value }: Text) =>
    value
      .split(/[ \t]*(?:\r?\n|\r)[ \t]*/)
      .flatMap((line, index) =>
        index === 0 ? [text(line)] : [element('br', {}, []), text('\n'), text(line)],
      ),

  footnoteReference: (_: State, { label, identifier }: FootnoteReference) =>
    text(`[^${label ?? identifier}]`),

  footnoteDefinition: (state: State, node: FootnoteDefinition) => [
    element('p', {}, [text(`[^${node.label ?? node.identifier}]:`)]),
    ...state.all(node),
  ],
}
