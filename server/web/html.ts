import { escapeHtml } from '../../core/text/escape-html.ts'

/** Safe HTML: written by `html`, or escaped before it is passed to the constructor. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

/** Escapes every value that is not HTML itself. Attribute values must be in quotes. */
export const html = (parts: TemplateStringsArray, ...values: HtmlValue[]): Html =>
  new Html(parts.map((part, index) => part + (index < values.length ? shown(values[index]) : '')).join(''))

function shown(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(shown).join('')
  return escapeHtml(String(value))
}
