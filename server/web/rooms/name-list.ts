import { type Html, html } from '../html.ts'

const maxNamed = 3

/** `Grace, Linus and 4 others`. */
export function nameList(names: readonly string[]): Html {
  const shown = names.length > maxNamed + 1 ? names.slice(0, maxNamed) : names
  const rest = names.length - shown.length
  const parts = [
    ...shown.map((name) => html`<bdi>${name}</bdi>`),
    ...(rest > 0 ? [html`${rest} others`] : []),
  ]
  return html`${parts.map((part, place) => html`${place > 0 && (place === parts.length - 1 ? ' and ' : ', ')}${part}`)}`
}
