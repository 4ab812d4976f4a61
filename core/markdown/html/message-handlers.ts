import type { FootnoteDefinition, FootnoteReference, Heading, Text } from 'mdast'
import type { Handlers, State } from 'mdast-util-to-hast'
import { element, text } from './elements.ts'

/** For messages. Footnotes stay as written: their ids would not be unique on the page. */
export const messageHandlers: Handlers = {
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
