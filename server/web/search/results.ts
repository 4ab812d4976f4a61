import { localUrl } from '../../../core/rendering/local-url.ts'
import type { NameMatch } from '../../../core/search/name-match.ts'
import type { SearchResult } from '../../../core/search/search.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { nameKindLabels } from './kinds.ts'

/** Null if not requested. */
export interface SearchResults {
  /** `isTruncated`: there may be more. `isSimilar`: no exact match. `isWhole`: everything was searched. */
  names: { matches: readonly NameMatch[]; isTruncated: boolean; isSimilar: boolean; isWhole: boolean } | null
  texts: { results: readonly SearchResult[]; isTruncated: boolean } | null
}

export function resultLists(
  { names, texts }: SearchResults,
  { words, project }: { words: string; project: string },
): Html {
  const inProject = project !== ''
  const isEmpty = (names?.matches ?? []).length + (texts?.results ?? []).length === 0
  return html`${isEmpty && emptyMessage(names !== null, texts !== null)}
${names && names.matches.length > 0 && !names.isSimilar && nameList(names)}
${
  names &&
  !names.isWhole &&
  html`<p class="hint">Not all projects or files were searched by name.${!inProject && ' Choose a project to search more of it.'}</p>`
}
${texts && texts.results.length > 0 && textList(texts, words)}
${names && texts && !isEmpty && texts.results.length === 0 && html`<p class="hint">No text contains all of these words.</p>`}
${names && names.matches.length > 0 && names.isSimilar && nameList(names)}`
}

function emptyMessage(isForNames: boolean, isForTexts: boolean): Html {
  const message = isForTexts
    ? 'No results for these words.'
    : 'Nothing of this kind has all of these words in its name.'
  return html`<div class="empty"><p>${message}</p>
<p>Try fewer or shorter words${isForNames && isForTexts ? '' : ', or search everything'}.</p></div>`
}

const nameList = ({ matches, isTruncated, isSimilar }: NonNullable<SearchResults['names']>): Html =>
  html`<section aria-labelledby="${isSimilar ? 'similar' : 'by-name'}"><h2 \
id="${isSimilar ? 'similar' : 'by-name'}">${isSimilar ? 'Similar names' : 'By name'}</h2>
<p class="hint" role="status">${countOf(matches.length, isTruncated, 'first')}</p>
<ul class="rows results">
${matches.map(
  ({ kind, title, page, where }) =>
    html`<li><p class="main"><a href="${page}"><bdi>${title}</bdi></a> <span class="tag">${nameKindLabels[kind].one.toLowerCase()}</span>${
      where !== undefined &&
      html`<br>
<small><bdi>${where}</bdi></small>`
    }</p></li>
`,
)}</ul></section>`

const textList = ({ results, isTruncated }: NonNullable<SearchResults['texts']>, query: string): Html =>
  html`<section aria-labelledby="in-texts"><h2 id="in-texts">In text</h2>
<p class="hint" role="status">${countOf(results.length, isTruncated, 'best')}</p>
<ol class="rows results">
${results.map(
  ({ id, type, title, url, snippet }) =>
    html`<li id="found-${id}"><p class="main"><a href="${localUrl(url)}"><bdi>${title}</bdi></a> <span class="tag">${type}</span><br>
<small><bdi>${highlightMatches(snippet, query)}</bdi></small></p></li>
`,
)}</ol></section>`

/** Marks the beginnings of words that match the query. */
function highlightMatches(text: string, query: string): HtmlValue {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return text
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu')
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))
}

const countOf = (count: number, isTruncated: boolean, which: 'first' | 'best'): string => {
  if (isTruncated) return `The ${which} ${count}`
  return count === 1 ? '1 result' : `${count} results`
}
