import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { type NameMatch, namedKinds } from '../../../core/search/name-match.ts'
import { searchTypes } from '../../../core/search/search.ts'
import { hasOperators, splitOperators } from '../../../core/search/search-operators.ts'
import { isTimeZone } from '../../../core/time/calendar.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import { nameKindLabels } from './kinds.ts'
import { ownPages } from './own-pages.ts'
import { resultLists, type SearchResults } from './results.ts'

const maxTextMatches = 50

/** Fewer where text matches follow. */
const maxNameMatches = { ofAll: 10, ofKind: 50 }

export const searchPages = (
  workspace: Pick<Workspace, 'directory' | 'search'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: search results; ?q=, ?project=, ?type=')
    .get(
      '/search',
      page(async (ctx, { caller }) => {
        const form = {
          query: queryText(ctx, 'q') ?? '',
          project: queryText(ctx, 'project') ?? '',
          type: requireKind(queryText(ctx, 'type') ?? ''),
          timeZone: timeZoneOf(ctx),
        }
        const { query } = form
        const hasQuery = query.trim() !== ''
        const found = hasQuery ? await searchOrProblem(workspace, caller, form) : null
        return {
          title: hasQuery ? `“${query}”` : 'Search',
          content: html`<h1>Search</h1>
${searchForm(workspace.directory.projects.readableBy(caller.member), form)}
${typeof found === 'string' && html`<p class="problem" role="alert">${found}</p>`}
${found === null && html`<p class="hint">${searchHint}</p>`}
${found !== null && typeof found === 'object' && resultLists(found, { ...form, words: splitOperators(query).words })}
<details class="hint"><summary>Narrow your search</summary><p>${operatorHint}</p></details>`,
        }
      }),
    )

const searchHint =
  'Searches the text of documents, posts, cards, comments and messages, and the names of rooms, projects, people, agents, asks, files, ' +
  'pull requests, repositories and skills. Only what you can see is searched.'

const operatorHint = html`<code>from:ada</code> or <code>from:me</code>, <code>in:quay</code> for a room or project, \
<code>before:2026-06-18</code>, <code>after:2026-06-01</code> and <code>has:file</code>, with or without words. A name with spaces \
is in double quotes: <code>from:"Ada Lovelace"</code>.`

function timeZoneOf(ctx: RouteContext): string {
  const zone = queryText(ctx, 'zone') ?? ''
  return isTimeZone(zone) ? zone : 'UTC'
}

/** @throws WorkspaceError `bad_request` for an unknown kind */
function requireKind(type: string): string {
  const kinds: readonly string[] = ['', ...searchTypes, ...namedKinds]
  if (kinds.includes(type)) return type
  const kindNames = kinds.slice(1).join(', ')
  throw new WorkspaceError(
    'bad_request',
    `There is no type ${JSON.stringify(type)}. The types are: ${kindNames}.`,
  )
}

/** Returns a message for an invalid query. */
async function searchOrProblem(
  workspace: Pick<Workspace, 'search'>,
  caller: Caller,
  form: SearchForm,
): Promise<SearchResults | string> {
  try {
    return await searchFor(workspace, caller, form)
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'bad_request') return error.message
    throw error
  }
}

interface SearchForm {
  query: string
  /** Slug; `''` for all. */
  project: string
  type: string
  timeZone: string
}

async function searchFor(
  workspace: Pick<Workspace, 'search'>,
  caller: Caller,
  { query, timeZone, ...form }: SearchForm,
): Promise<SearchResults> {
  const project = form.project === '' ? {} : { project: form.project }
  const kind = namedKinds.find((one) => one === form.type)
  const isNarrowed = hasOperators(splitOperators(query).operators)
  const isForNames = !isNarrowed && (form.type === '' || kind !== undefined)
  const limit = kind ? maxNameMatches.ofKind : maxNameMatches.ofAll
  const named: { named: NameMatch[]; isSimilar: boolean; isWhole: boolean } | null = isForNames
    ? await workspace.search.names.find(
        caller,
        { query, limit, ...project, ...(kind && { kind }) },
        ownPages(caller.member),
      )
    : null
  const texts =
    kind && !isNarrowed
      ? null
      : await workspace.search.texts.find(caller, {
          query,
          limit: maxTextMatches,
          timeZone,
          ...project,
          ...(form.type !== '' && !kind && { type: form.type }),
        })
  return {
    names: named && {
      matches: named.named,
      isTruncated: named.named.length === limit,
      isSimilar: named.isSimilar,
      isWhole: named.isWhole,
    },
    texts: texts && { results: texts.results, isTruncated: texts.results.length === maxTextMatches },
  }
}

const searchForm = (projects: readonly Project[], { query, project, type }: SearchForm): Html => {
  const kind = (value: string, label: string) =>
    html`<option value="${value}"${value === type && html` selected`}>${label}</option>`
  return html`<form class="search-form" role="search" aria-label="Everything" action="/search">
<label class="unseen" for="q">Words</label>
<input id="q" name="q" type="search" value="${query}" maxlength="1000" autocomplete="off" \
placeholder="Words"${query.startsWith(' ') && html` autofocus`}>
<input type="hidden" name="zone" value="UTC">
<label class="unseen" for="in-project">Project</label>
<select id="in-project" name="project"><option value="">All projects and rooms</option>${projects.map(
    ({ slug, name }) => html`<option value="${slug}"${slug === project && html` selected`}>${name}</option>`,
  )}</select>
<label class="unseen" for="of-type">Kind</label>
<select id="of-type" name="type"><option value="">Everything</option>
<optgroup label="By the words in them">${searchTypes.map((one) => kind(one, plural[one]))}</optgroup>
<optgroup label="By name">${namedKinds.map((one) => kind(one, nameKindLabels[one].several))}</optgroup></select>
<button>Search</button>
</form>`
}

const plural = {
  document: 'Documents',
  post: 'Posts',
  card: 'Cards',
  comment: 'Comments',
  message: 'Messages',
} as const
