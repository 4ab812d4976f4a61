import { call } from './api.ts'
import { recentPages } from './recent-pages.ts'

/** A line in the list of the finder. */
export interface FinderItem {
  path: string
  title: string
  kind: string
  about?: string
}

const maxTextResults = 8
const maxRecent = 7

/** The items before anything is typed. */
export async function loadDefaultItems(signal: AbortSignal): Promise<FinderItem[]> {
  const recent = recentPages()
  const pages = recent.length > 0 ? recent : navigationItems()
  const actions = await loadActions(signal).catch(() => [])
  return [...pages.slice(0, maxRecent), ...actions]
}

/** Returns null if nothing could be fetched. */
export async function findItems(query: string, signal: AbortSignal): Promise<FinderItem[] | null> {
  // One request may be refused, such as for too many words; the others' results are shown.
  const results = await Promise.allSettled([
    findByName(query, signal),
    searchTexts(query, signal),
    loadActions(signal),
  ])
  const [names, texts, actions] = results
  if (names.status === 'rejected' && texts.status === 'rejected') return null
  const { items, isSimilar } = names.status === 'fulfilled' ? names.value : { items: [], isSimilar: false }
  const textResults = texts.status === 'fulfilled' ? texts.value : []
  const matchingActions = (actions.status === 'fulfilled' ? actions.value : []).filter(({ title }) =>
    hasWords(title, query),
  )
  // Similar names come last: the exact words may be in a text.
  const found = isSimilar
    ? [...matchingActions, ...textResults, ...items]
    : [...matchingActions, ...items, ...textResults]
  const isExactMatch = ({ title }: FinderItem) => title.toLowerCase() === query.toLowerCase()
  const sorted = [...found.filter(isExactMatch), ...found.filter((one) => !isExactMatch(one))]
  const all = [...new Map(sorted.toReversed().map((one) => [one.path, one])).values()].toReversed()
  if (all.length === 0) return []
  const path = `/search?q=${encodeURIComponent(query)}`
  return [...all, { path, title: `All results for “${query}”`, kind: 'Search' }]
}

const hasWords = (title: string, query: string): boolean => {
  const words = title.toLowerCase().split(' ')
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((typed) => words.some((word) => word.startsWith(typed)))
}

function navigationItems(): FinderItem[] {
  const links = document.querySelectorAll<HTMLAnchorElement>('#navigation li > a:not([aria-current])')
  return [...links].map((link) => ({
    path: link.pathname,
    title: (link.querySelector('bdi, span') ?? link).textContent ?? '',
    kind: link.pathname.startsWith('/rooms/')
      ? 'Room'
      : link.pathname.startsWith('/projects/')
        ? 'Project'
        : 'Page',
  }))
}

interface Action {
  title: string
  page: string
  where?: string
}

let actions: Promise<FinderItem[]> | null = null

/** Fetched once, for the project of this page or of one opened before. */
async function loadActions(signal: AbortSignal): Promise<FinderItem[]> {
  const isInProject = (path: string) => path.startsWith('/projects/')
  const at = [location.pathname, ...recentPages().map(({ path }) => path)].find(isInProject) ?? '/'
  actions ??= call('GET', `/navigation/actions?at=${encodeURIComponent(at)}`).then(({ json }) =>
    (json.actions as Action[]).map(({ title, page, where }) => ({
      path: page,
      title,
      kind: 'Action',
      ...(where !== undefined && { about: where }),
    })),
  )
  const request = actions
  try {
    return await request
  } catch (error) {
    if (actions === request) actions = null
    signal.throwIfAborted()
    throw error
  }
}

interface Named {
  kind: string
  title: string
  page: string
  where?: string
}

async function findByName(
  query: string,
  signal: AbortSignal,
): Promise<{ items: FinderItem[]; isSimilar: boolean }> {
  const { json } = await call('GET', `/navigation/names?q=${encodeURIComponent(query)}`, { signal })
  const items = (json.named as Named[]).map(({ kind, title, page, where }) => ({
    path: page,
    title,
    kind,
    ...(where !== undefined && { about: where }),
  }))
  return { items, isSimilar: json.isSimilar === true }
}

interface Found {
  type: string
  title: string
  url: string
  snippet: string
}

async function searchTexts(query: string, signal: AbortSignal): Promise<FinderItem[]> {
  const { json } = await call('GET', `/v1/search?q=${encodeURIComponent(query)}&limit=${maxTextResults}`, {
    signal,
  })
  return (json.results as Found[]).map(({ type, title, url, snippet }) => {
    const { pathname, search, hash } = new URL(url, location.href)
    return {
      path: pathname + search + hash,
      title,
      kind: type[0]!.toUpperCase() + type.slice(1),
      about: snippet,
    }
  })
}
