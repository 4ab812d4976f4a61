import type { Element } from 'domhandler'
import { DomUtils, parseDocument } from 'htmlparser2'
import type { HttpResponse, RequestOptions } from './http-client.ts'
import type { Workroom } from './workroom.ts'

export interface DavEntry {
  /** Decoded. */
  path: string
  /** The texts of its properties by name; for a property with elements, their names. */
  properties: Record<string, string>
  /** The statuses of missing or refused properties, by name. */
  others: Record<string, number>
  /** The status of the whole resource, if there is one. */
  status: number | null
}

export interface DavClient {
  send(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  find(path: string, depth?: string, body?: string): Promise<DavEntry[]>
  list(path: string): Promise<string[]>
}

export const basicAuthorization = (key: string, user = 'anybody'): string =>
  `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`

/** A WebDAV client that signs in as file managers do, with the key as password. Paths are below `/dav`. */
export function davClient({ request }: Workroom, key: string): DavClient {
  const send: DavClient['send'] = (method, path, { headers, ...options } = {}) =>
    request(method, `/dav${path}`, {
      key: undefined,
      ...options,
      headers: { Authorization: basicAuthorization(key), ...headers },
    })
  const find: DavClient['find'] = async (path, depth = '1', body) => {
    const response = await send('PROPFIND', path, { body, headers: { Depth: depth } })
    if (response.status !== 207) throw new Error(`${response.status} ${response.text}`)
    return parseMultistatus(response)
  }
  return {
    send,
    find,
    list: async (path) => (await find(path)).slice(1).map(({ path }) => path.split('/').findLast(Boolean)!),
  }
}

const elements = (name: string, within: Element) =>
  DomUtils.getElementsByTagName(name, within.children, false) as Element[]
const statusIn = (element: Element) =>
  Number(/ (\d{3}) /.exec(DomUtils.textContent(elements('D:status', element)))?.[1] ?? 0)

export function parseMultistatus({ text }: HttpResponse): DavEntry[] {
  const document = parseDocument(text, { xmlMode: true })
  const [root] = DomUtils.getElementsByTagName('D:multistatus', document) as Element[]
  return elements('D:response', root!).map((response) => {
    const entry: DavEntry = { path: '', properties: {}, others: {}, status: statusIn(response) || null }
    entry.path = decodeURIComponent(DomUtils.textContent(elements('D:href', response)))
    for (const part of elements('D:propstat', response)) {
      const status = statusIn(part)
      const [prop] = elements('D:prop', part)
      for (const property of prop!.children.filter((child): child is Element => child.type === 'tag')) {
        const name = property.name.replace(/^.*:/, '')
        const text = DomUtils.textContent(property)
        const inner = property.children.map((child) => ('name' in child ? child.name : '')).join(' ')
        if (status === 200) entry.properties[name] = text === '' ? inner : text
        else entry.others[name] = status
      }
    }
    return entry
  })
}
