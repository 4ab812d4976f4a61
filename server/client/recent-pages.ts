import { keyOf, StoredValue } from './stored-value.ts'

interface RecentPage {
  path: string
  title: string
  kind: string
}

const maxPages = 12

const kinds: [RegExp, string][] = [
  [/^\/rooms\/[^/]+/, 'Room'],
  [/^\/members\/[^/]+/, 'Member'],
  [/^\/projects\/[^/]+\/docs\/./, 'Document'],
  [/^\/projects\/[^/]+\/posts\/./, 'Post'],
  [/^\/projects\/[^/]+\/drafts\/./, 'Draft'],
  [/^\/projects\/[^/]+\/board\/./, 'Card'],
  [/^\/projects\/[^/]+$/, 'Project'],
]

/** Pages for searching, signing in or writing are not returned to. */
const isTransient = (path: string) => /^\/(?:search|signin|join)\b|\/new$|\/edit$/.test(path)

const stored = () => new StoredValue<RecentPage[]>(localStorage, keyOf('recent', 'places'))

/** Pages opened in this browser, newest first, without the current one. */
export function recentPages(): RecentPage[] {
  const pages = stored().read()
  return Array.isArray(pages) ? pages.filter(({ path }) => path !== location.pathname) : []
}

export function recordPage(): void {
  const path = location.pathname
  if (isTransient(path)) return
  const title = pageTitle()
  if (title === '') return
  const kind = kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 'Page'
  stored().write([{ path, title, kind }, ...recentPages()].slice(0, maxPages))
}

/** Strips the unread count and the workspace's name. */
const pageTitle = () => document.title.replace(/^\(\d+\) /, '').replace(/ · [^·]*$/, '')
