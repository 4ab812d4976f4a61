import { escapeHtml } from '../../core/text/escape-html.ts'

/** Safe HTML: written by `html`, or escaped before it is passed to the constructor. */
export class Html {
  constructor(readonly text: string) {}
}

/** `null`, `undefined` and `false` render as nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

/** Escapes every value that is not HTML itself. Attribute values must be in quotes. */
export const html = (parts: TemplateStringsArray, ...values: HtmlValue[]): Html =>
  new Html(parts.map((part, index) => part + (index < values.length ? render(values[index]) : '')).join(''))

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(render).join('')
  return escapeHtml(String(value))
}
