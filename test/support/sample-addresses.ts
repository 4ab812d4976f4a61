import type { Actor } from './chat.ts'
import type { Sample } from './sample-workspace.ts'

/** An address that the interface has answered for people to open. */
export interface Address {
  /** Of this server, with query and fragment. */
  path: string
  /** What it is said to show; undefined where nothing was said. */
  title: string | undefined
  /** The request that was answered with it. */
  from: string
}

/** Where the crawl begins: what lists things. What these name in the tree is followed. */
const beginnings = [
  '/v1/fs/projects',
  '/v1/fs/rooms',
  '/v1/projects',
  '/v1/presence',
  ...['tide', 'berth', 'north', 'ready', 'map'].map((word) => `/v1/search?q=${word}`),
  '/v1/fs/projects/harbour/refs?q=tide',
  '/v1/fs/projects/harbour/refs?q=map',
]
const events = '/v1/events?since=0&wait=0&self=include&includeOwn=1'
const folders = [
  'posts',
  'drafts',
  'docs',
  'board',
  'trash',
  'pulls',
  'skills',
  'library',
  'plan.md',
  'map.md',
  'asks.md',
  'links.md',
]

/** Every `url` that somebody is answered on a walk through all lists, each once. */
export async function addressesOf(sample: Sample, { key }: Actor): Promise<Address[]> {
  const found = new Map<string, Address>()
  const todo = [...beginnings, ...folders.map((folder) => `/v1/fs/projects/harbour/${folder}`)]
  const seen = new Set(todo)
  const note = (url: string, title: unknown, from: string) => {
    if (!url.startsWith(`${sample.url}/`) || found.has(url)) return
    found.set(url, {
      path: url.slice(sample.url.length),
      title: typeof title === 'string' ? title : undefined,
      from,
    })
  }
  const follow = (path: string) => {
    if (!path.startsWith('/v1/') || seen.has(path)) return
    seen.add(path)
    todo.push(path)
  }
  const look = (value: unknown, from: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { url, path, title, name } = value as Record<string, unknown>
    if (typeof url === 'string') note(url, title ?? name, from)
    if (typeof path === 'string') follow(path)
    for (const inner of Object.values(value)) look(inner, from)
  }
  // Of what has moved meanwhile, only the last event names the place where it is.
  const { json } = await sample.request('GET', events, { key })
  const lastOf = new Map(
    json.events.map((event: { docId?: string; ts: number }) => [event.docId ?? event.ts, event]),
  )
  look([...lastOf.values()], events)
  for (const path of todo) {
    const { json, headers } = await sample.request('GET', path, { key })
    const url = headers['x-service-url']
    if (typeof url === 'string') note(url, undefined, path)
    look(json, path)
  }
  return [...found.values()]
}
