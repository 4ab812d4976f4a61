import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import inject from 'light-my-request'
import { treeRoot } from '../../core/paths.ts'
import { markToolRequest } from '../tool-requests.ts'

export interface InterfaceResponse {
  status: number
  text: string
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: each tool knows what it has asked for
  json: any
  header(name: string): string | undefined
}

interface InterfaceRequest {
  query?: Record<string, string | number | boolean | undefined>
  fields?: object
  markdown?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** An answer of the interface with an error status. */
export class RefusedError extends Error {
  constructor(readonly response: InterfaceResponse) {
    super(response.json?.message ?? response.json?.error ?? response.text)
  }
}

/** Calls this server's interface as the tool's caller, with the same permissions, limits and refusals. */
export class InterfaceClient {
  private readonly authorization: string
  private readonly remoteAddress: string

  constructor(
    private readonly listener: RequestListener,
    { headers, socket }: IncomingMessage,
  ) {
    this.authorization = headers.authorization ?? ''
    this.remoteAddress = socket.remoteAddress ?? '127.0.0.1'
  }

  private readonly dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    markToolRequest(request)
    this.listener(request, response)
  }

  /** @throws RefusedError for a status other than 2xx */
  async send(method: string, path: string, request: InterfaceRequest = {}): Promise<InterfaceResponse> {
    const { query = {}, fields, markdown, headers = {}, signal } = request
    const url = new URL(path, 'http://workroom.invalid')
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const injected = await inject(this.dispatch, {
      method: method as 'GET',
      url: url.pathname + url.search,
      remoteAddress: this.remoteAddress,
      ...(signal && { signal }),
      headers: {
        authorization: this.authorization,
        'x-service-client': 'mcp',
        ...(fields && { 'content-type': 'application/json' }),
        ...(markdown !== undefined && { 'content-type': 'text/markdown' }),
        ...headers,
      },
      ...(fields && { payload: JSON.stringify(fields) }),
      ...(markdown !== undefined && { payload: markdown }),
    })
    const type = String(injected.headers['content-type'] ?? '')
    const response: InterfaceResponse = {
      status: injected.statusCode,
      text: injected.payload,
      bytes: injected.rawPayload,
      json: type.startsWith('application/json') && injected.payload ? injected.json() : undefined,
      header: (name) => injected.headers[name.toLowerCase()]?.toString(),
    }
    if (response.status < 200 || response.status > 299) throw new RefusedError(response)
    return response
  }
}

/** Shortens a path for tools: `projects/harbour/docs/tides.md`, one spelling per file. */
export const toolPath = (path: string): string =>
  path.replace(`${treeRoot}/`, '').replace(/^(projects\/[^/]+)\/library\/documents(?=\/|$)/, '$1/docs')

/** Accepts paths of tools, URIs and paths of the interface, and returns the interface's path. */
export function treeAddress(path: string): string {
  const relative = path.replace(/^workroom:\/\//, '').replace(/^\/?v1\/fs(?=\/|$)/, '')
  const address = `${treeRoot}/${relative.replace(/^\/+/, '')}`.replace(/\/+$/, '')
  return new URL(address, 'http://workroom.invalid').pathname
}
