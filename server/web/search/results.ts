import { localUrl } from '../../../core/rendering/local-url.ts'
import type { NameMatch } from '../../../core/search/name-match.ts'
import type { SearchResult } from '../../../core/search/search.ts'
import { type Html, html } from '../html.ts'
import { highlightMatches } from './highlight.ts'
import { nameKindLabels } from './kinds.ts'

/** Null if not requested. */
export interface Found {
  /** `isCut`: there may be more. `isSimilar`: no exact match. `isWhole`: everything was searched. */
  names: { things: readonly NameMatch[]; isCut: boolean; isSimilar: boolean; isWhole: boolean } | null
  texts: { results: readonly SearchResult[]; isCut: boolean } | null
}

export function resultLists(
  { names, texts }: Found,
  { words, project }: { words: string; project: string },
): Html {
  const inProject = project !== ''
  const isNothing = (names?.things ?? []).length + (texts?.results ?? []).length === 0
  return html`${isNothing && nothing(names !== null, texts !== null)}
${names && names.things.length > 0 && !names.isSimilar && nameList(names)}
${
  names &&
  !names.isWhole &&
  html`<p class="hint">Not all projects or files were searched by name.${!inProject && ' Choose a project to search more of it.'}</p>`
}
${texts && texts.results.length > 0 && textList(texts, words)}
${names && texts && !isNothing && texts.results.length === 0 && html`<p class="hint">No text contains all of these words.</p>`}
${names && names.things.length > 0 && names.isSimilar && nameList(names)}`
}

function nothing(isForNames: boolean, isForTexts: boolean): Html {
  const words = isForTexts
    ? 'No results for these words.'
    : 'Nothing of this kind has all of these words in its name.'
  return html`<div class="empty"><p>${words}</p>
<p>Try fewer or shorter words${isForNames && isForTexts ? '' : ', or search everything'}.</p></div>`
}

const nameList = ({ things, isCut, isSimilar }: NonNullable<Found['names']>): Html =>
  html`<section aria-labelledby="${isSimilar ? 'similar' : 'by-name'}"><h2 \
id="${isSimilar ? 'similar' : 'by-name'}">${isSimilar ? 'Similar names' : 'By name'}</h2>
<p class="hint" role="status">${countOf(things.length, isCut, 'first')}</p>
<ul class="rows results">
${things.map(
  ({ kind, title, page, where }) =>
    html`<li><p class="main"><a href="${page}"><bdi>${title}</bdi></a> <span class="tag">${nameKindLabels[kind].one.toLowerCase()}</span>${
      where !== undefined &&
      html`<br>
<small><bdi>${where}</bdi></small>`
    }</p></li>
`,
)}</ul></section>`

const textList = ({ results, isCut }: NonNullable<Found['texts']>, words: string): Html =>
  html`<section aria-labelledby="in-texts"><h2 id="in-texts">In text</h2>
<p class="hint" role="status">${countOf(results.length, isCut, 'best')}</p>
<ol class="rows results">
${results.map(
  ({ id, type, title, url, snippet }) =>
    html`<li id="found-${id}"><p class="main"><a href="${localUrl(url)}"><bdi>${title}</bdi></a> <span class="tag">${type}</span><br>
<small><bdi>${highlightMatches(snippet, words)}</bdi></small></p></li>
`,
)}</ol></section>`

const countOf = (count: number, isCut: boolean, which: 'first' | 'best'): string => {
  if (isCut) return `The ${which} ${count}`
  return count === 1 ? '1 result' : `${count} results`
}
