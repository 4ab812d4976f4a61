import { type Html, html } from '../html.ts'

const maxNamed = 3

/** `Grace, Linus and 4 others`. */
export function nameList(names: readonly string[]): Html {
  const listed = names.length > maxNamed + 1 ? names.slice(0, maxNamed) : names
  const rest = names.length - listed.length
  const parts = [
    ...listed.map((name) => html`<bdi>${name}</bdi>`),
    ...(rest > 0 ? [html`${rest} others`] : []),
  ]
  return html`${parts.map((part, index) => html`${index > 0 && (index === parts.length - 1 ? ' and ' : ', ')}${part}`)}`
}
