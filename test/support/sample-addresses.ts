import type { Actor } from './chat.ts'
import { sampleActions } from './sample-actions.ts'
import type { Sample } from './sample-workspace.ts'
import { uploadForm } from './upload-form.ts'

export interface Address {
  path: string
  /** The title that the response gives; undefined if none. */
  title: string | undefined
  from: string
  /** Whether the thing may have moved since the response, so that the address redirects. */
  isFormer: boolean
}

export interface Crawl {
  addresses: Address[]
  /** Paths of the interface named in texts, for programs to follow. */
  named: string[]
}

/** The lists from which the crawl begins; it follows the paths in them. */
const startPaths = [
  '/v1/fs',
  '/v1/fs/inbox/mentions.md',
  '/v1/fs/projects',
  '/v1/fs/rooms',
  '/v1/projects',
  '/v1/projects/harbour/posts',
  '/v1/presence',
  ...['tide', 'berth', 'north', 'ready', 'map', 'lovely'].map((word) => `/v1/search?q=${word}`),
  '/v1/fs/projects/harbour/refs?q=tide',
  '/v1/fs/projects/harbour/refs?q=map',
]
const events = '/v1/events?since=0&wait=0&self=include&includeOwn=1'
const tree = '/v1/fs/projects/harbour'
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

/** Files with links, backlinks and revisions. */
const linking = /^\/v1\/fs\/projects\/\w+\/(?:docs|library\/documents|posts|drafts|board\/[\w-]+)\/[^?]+\.md$/

/** Collects every `url` in the responses to reading all lists and to writes of every kind. */
export async function crawl(sample: Sample, actor: Actor): Promise<Crawl> {
  const { key } = actor
  const found = new Map<string, Address>()
  const named = new Set<string>()
  const todo: string[] = []
  const seen = new Set<string>()
  const add = (url: string, title: unknown, from: string) => {
    if (!url.startsWith(`${sample.url}/`) || found.has(url)) return
    found.set(url, {
      path: url.slice(sample.url.length),
      title: typeof title === 'string' ? title : undefined,
      from,
      isFormer: from === events || /^[A-Z]+ /.test(from),
    })
  }
  const follow = (path: string) => {
    if (!path.startsWith('/v1/') || seen.has(path)) return
    seen.add(path)
    todo.push(path)
    if (linking.test(path))
      for (const call of ['_links', '_backlinks', '_revisions']) follow(`${path}/${call}`)
  }
  const collect = (value: unknown, from: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { url, path, title, name } = value as Record<string, unknown>
    if (typeof url === 'string') add(url, title ?? name, from)
    if (typeof path === 'string') follow(path)
    for (const inner of Object.values(value)) collect(inner, from)
  }
  const read = (text: string, from: string): void => {
    for (const [, path] of text.matchAll(/`(\/v1\/[^`\s?{<]+)`/g)) named.add(path!)
    // Addresses for programs are not pages.
    for (const [url] of text.matchAll(/http:\/\/127\.0\.0\.1:\d+\/(?!api\/|v1\/|dav\/)[^\s)\]>"'`]+/g))
      add(url, undefined, from)
  }
  await write(sample, actor, (response, from) => {
    if (typeof response.url === 'string') add(response.url, undefined, from)
    collect(response.json, from)
  })
  const { json } = await sample.request('GET', events, { key })
  // A document deleted for good has no page.
  collect(
    json.events.filter((event: { deleted?: boolean }) => !event.deleted),
    events,
  )
  for (const path of [...startPaths, ...folders.map((folder) => `${tree}/${folder}`)]) follow(path)
  for (const path of todo) {
    const { json, text, headers } = await sample.request('GET', path, { key })
    const url = headers['x-service-url']
    if (typeof url === 'string') add(url, undefined, path)
    if (json === undefined && !linking.test(path)) read(text, path)
    collect(json, path)
  }
  return { addresses: [...found.values()], named: [...named] }
}

type WriteResponse = { url: unknown; json: unknown }

/** Makes writes of every kind, some of things that move afterwards. @param onResponse gets each response */
async function write(
  sample: Sample,
  actor: Actor,
  onResponse: (response: WriteResponse, from: string) => void,
): Promise<void> {
  const { advanceMinutes } = sampleActions(sample)
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the response
  const send = async (method: string, path: string, body?: unknown, options = {}): Promise<any> => {
    advanceMinutes(1)
    const { key } = actor
    const response = await sample.request(method, path, {
      key,
      ...(body !== undefined && { body }),
      ...options,
    })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    onResponse({ url: response.headers['x-service-url'], json: response.json }, `${method} ${path}`)
    return response.json
  }
  await send('PUT', `${tree}/docs/before.md`, '# Before\n\nHere.\n')
  await send('PUT', `${tree}/docs/before.md`, '# Afterwards\n\nThere.\n')
  const draft = await send('PUT', `${tree}/drafts/soon.md`, '# Soon\n\nOut.\n')
  await send('POST', `${draft.path}/_publish`)
  const card = await send('PUT', `${tree}/board/02-todo/moving.md`, '# A card that moves\n')
  await send('POST', `${card.path}/_move`, { toColumn: '03-in-progress' })
  const { post } = await send('POST', '/v1/projects/harbour/posts', {
    title: 'By the way',
    body: 'So it is.',
  })
  await send('POST', `/v1/posts/${post?._id ?? sample.ids.post}/comments`, { body: 'Indeed.' })
  await send('POST', '/v1/projects', { name: 'Pier', slug: 'pier' })
  await send('PUT', `${tree}/links.md`, '- [Tides](https://tides.example/): when\n')
  await send('POST', '/api/asks', { project: 'harbour', title: 'Who paints it?', body: 'The pier.' })
  const form = await uploadForm(['file', 'x', 'crawled.txt'])
  await send('POST', `${tree}/library/files`, undefined, form)
}
