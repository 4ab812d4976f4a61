import { localAddress } from '../../../core/rendering/local-address.ts'
import { type SearchResult, searchTypes } from '../../../core/search/search.ts'
import { newRoutes, type Routes } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import type { WebParts } from '../signed-in.ts'
import { marked } from './marked.ts'

const most = 50

/** Search over everything that its reader may see. */
export const searchPages = ({ workspace, page }: WebParts): Routes =>
  newRoutes().get(
    '/search',
    page(async (ctx, { caller }) => {
      const query = queryText(ctx, 'q') ?? ''
      const project = queryText(ctx, 'project') ?? ''
      const type = queryText(ctx, 'type') ?? ''
      const isAsked = query.trim() !== ''
      const { results } = isAsked
        ? await workspace.search.find(caller, {
            query,
            limit: most,
            ...(project !== '' && { project }),
            ...(type !== '' && { type }),
          })
        : { results: [] }
      const projects = workspace.projects.visibleTo(caller.member)
      return {
        title: isAsked ? `“${query}”` : 'Search',
        content: html`<h1>Search</h1>
<form class="search-form" role="search" aria-label="Everything" action="/search">
<label class="unseen" for="q">Words</label>
<input id="q" name="q" type="search" value="${query}" maxlength="1000" autocomplete="off" placeholder="Words">
<label class="unseen" for="in-project">Project</label>
<select id="in-project" name="project"><option value="">All projects and rooms</option>${projects.map(({ slug, name }) => html`<option value="${slug}"${slug === project && html` selected`}>${name}</option>`)}</select>
<label class="unseen" for="of-type">Kind</label>
<select id="of-type" name="type"><option value="">Everything</option>${searchTypes.map((one) => html`<option value="${one}"${one === type && html` selected`}>${plural[one]}</option>`)}</select>
<button>Search</button>
</form>
${isAsked ? resultList(results, query) : html`<p class="hint">In documents, posts, cards, comments and messages: in all that you may read.</p>`}`,
      }
    }),
  )

const plural = {
  document: 'Documents',
  post: 'Posts',
  card: 'Cards',
  comment: 'Comments',
  message: 'Messages',
} as const

function resultList(results: readonly SearchResult[], query: string): Html {
  if (results.length === 0)
    return html`<div class="empty"><p>Nothing that you may read holds all of these words.</p>
<p>Try fewer of them, or their beginnings.</p></div>`
  return html`<p class="hint" role="status">${results.length === most ? `The best ${most}` : results.length === 1 ? '1 result' : `${results.length} results`}</p>
<ol class="rows results">
${results.map(
  ({ id, type, title, url, snippet }) =>
    html`<li id="found-${id}"><p class="main"><a href="${localAddress(url)}"><bdi>${title}</bdi></a> <span class="tag">${type}</span><br>
<small><bdi>${marked(snippet, query)}</bdi></small></p></li>
`,
)}</ol>`
}
