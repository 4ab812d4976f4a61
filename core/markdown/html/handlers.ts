import type { Element, ElementContent } from 'hast'
import type { ListItem, Nodes, Parents, Table } from 'mdast'
import { defaultHandlers, type Handlers, type State } from 'mdast-util-to-hast'
import { codeHandlers } from './code-handlers.ts'
import type { RenderContext } from './context.ts'
import { element } from './elements.ts'
import { linkHandlers } from './link-handlers.ts'
import { messageHandlers } from './message-handlers.ts'

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
