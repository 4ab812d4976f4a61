import { keyOf, StoredValue } from './stored-value.ts'

interface Place {
  path: string
  title: string
  kind: string
}

const maxPlaces = 12

const kinds: [RegExp, string][] = [
  [/^\/rooms\/[^/]+/, 'Room'],
  [/^\/members\/[^/]+/, 'Member'],
  [/^\/projects\/[^/]+\/docs\/./, 'Document'],
  [/^\/projects\/[^/]+\/posts\/./, 'Post'],
  [/^\/projects\/[^/]+\/drafts\/./, 'Draft'],
  [/^\/projects\/[^/]+\/board\/./, 'Card'],
  [/^\/projects\/[^/]+$/, 'Project'],
]

/** What is opened to search, to sign in or to write something new is no place to return to. */
const isPassing = (path: string) => /^\/(?:search|signin|join)\b|\/new$|\/edit$/.test(path)

const stored = () => new StoredValue<Place[]>(localStorage, keyOf('recent', 'places'))

/** The places that were opened last in this browser, without the open page. */
export function recentPlaces(): Place[] {
  const places = stored().read()
  return Array.isArray(places) ? places.filter(({ path }) => path !== location.pathname) : []
}

export function notePlace(): void {
  const path = location.pathname
  if (isPassing(path)) return
  const title = placeTitle()
  if (title === '') return
  const kind = kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 'Page'
  stored().write([{ path, title, kind }, ...recentPlaces()].slice(0, maxPlaces))
}

/** The title of the page, without the workspace's name and the count of what is unread. */
const placeTitle = () => document.title.replace(/^\(\d+\) /, '').replace(/ · [^·]*$/, '')
