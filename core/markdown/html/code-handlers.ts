import type { Element, ElementContent } from 'hast'
import type { Code, Html as HtmlNode, InlineCode, Parents } from 'mdast'
import type { Handlers, State } from 'mdast-util-to-hast'
import type { RenderContext } from './context.ts'
import { element, text } from './elements.ts'

const maxDiagrams = 20

/** Characters that change the direction of text, which could make code look different from what it is. */
const bidiControls = /([\u202A-\u202E\u2066-\u2069])/

const flowParents = new Set<string>(['root', 'blockquote', 'listItem', 'footnoteDefinition'])

export const codeHandlers = (page: RenderContext): Handlers => ({
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
