import { type HtmlValue, html } from '../html.ts'

/** Marks the beginnings of words that match the query. */
export function highlightMatches(text: string, query: string): HtmlValue {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return text
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu')
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))
}
