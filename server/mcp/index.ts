import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import {
  createMcpHandler,
  ProtocolErrorCode,
  type ServerEvent,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts, rejectUndeclaredInput } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { methodNotAllowed } from '../error-response.ts'
import { readJson } from '../middleware/body.ts'
import type { ServerParts } from '../parts.ts'
import { eventStream, followChanges } from './changes.ts'
import { InterfaceClient } from './interface-client.ts'
import { newMcpServer } from './mcp-server.ts'
import { Sessions, WatchedResources } from './watched-resources.ts'

type McpWorkspace = Pick<Workspace, 'events' | 'rendering'>
type McpParts = Pick<ServerParts, 'limits' | 'site' | 'stopping'>

const sessionHeader = 'Mcp-Session-Id'
const versionHeader = 'MCP-Protocol-Version'
const allowed = 'GET, POST, DELETE'
const eventStreamType = 'text/event-stream'
const dataField = 'data: '

/** JSON escaping, such as of line ends, can double a text's length. */
const escapeFactor = 2

/** Not checked here: an invalid message is answered with a JSON-RPC error. */
const message = accepts({ body: 'file' })

/** @param listener through which tools call the interface of this server */
export function mcpRoutes(workspace: McpWorkspace, parts: McpParts, listener: () => RequestListener): Routes {
  const endpoint = new McpEndpoint(workspace, parts, listener)
  const routes = newRoutes()
    .purpose('Use the workspace through the Model Context Protocol')
    .post('/mcp', message, (ctx) => endpoint.handle(ctx))
    .purpose('Follow the subscriptions of a Model Context Protocol session')
    .answers('text/event-stream')
    .get('/mcp', (ctx) => endpoint.stream(ctx))
    .purpose('End a Model Context Protocol session')
    .delete('/mcp', (ctx) => endpoint.endSession(ctx))
    .all('refusals', '/mcp', () => {
      throw methodNotAllowed(`Only ${allowed} are possible here.`, allowed)
    })
  return rejectUndeclaredInput(routes)
}

class McpEndpoint {
  private readonly sessions = new Sessions()
  private readonly streams = new OpenStreams()

  constructor(
    private readonly workspace: McpWorkspace,
    private readonly parts: McpParts,
    private readonly listener: () => RequestListener,
  ) {}

  async handle(ctx: RouteContext): Promise<void> {
    this.parts.site.requireOwnOrigin(ctx)
    const client = new InterfaceClient(this.listener(), ctx.req)
    const parsedBody = await this.readMessage(ctx)
    if (parsedBody === null) return
    const newServer = () =>
      newMcpServer(client, this.workspace.rendering.mentions, () => this.watchedInSession(ctx))
    const response =
      parsedBody.method === 'subscriptions/listen'
        ? await this.listen(ctx, client, parsedBody)
        : await onlyMessage(await createMcpHandler(newServer).fetch(requestOf(ctx), { parsedBody }))
    if (parsedBody.method === 'initialize' && response.ok) ctx.set(sessionHeader, this.sessions.newId())
    send(ctx, response)
  }

  /** Returns null for too long a message, after it has answered with a JSON-RPC error. */
  private async readMessage(ctx: RouteContext): Promise<Record<string, unknown> | null> {
    try {
      return await readJson(ctx, escapeFactor * this.parts.limits.markdownBytes)
    } catch (error) {
      if (!(error instanceof WorkspaceError && error.code === 'too_large')) throw error
      ctx.status = 413
      ctx.body = {
        jsonrpc: '2.0',
        id: null,
        error: { code: ProtocolErrorCode.InvalidRequest, message: error.message },
      }
      return null
    }
  }

  /** The stream of a session, in protocol versions before 2026-07-28. */
  async stream(ctx: RouteContext): Promise<void> {
    this.parts.site.requireOwnOrigin(ctx)
    if (!ctx.get('Accept').includes(eventStreamType)) {
      throw methodNotAllowed(`A GET follows a session: send Accept: ${eventStreamType}.`, allowed)
    }
    requireKnownVersion(ctx.get(versionHeader))
    const watched = this.watchedInSession(ctx)
    if (watched === null && ctx.get(sessionHeader) !== '') throw endedSession()
    const client = new InterfaceClient(this.listener(), ctx.req)
    const since = await this.startCursorOf(ctx, client)
    const signal = this.openStream(ctx)
    const changes = followChanges(client, { since, watched: watched ?? new WatchedResources(), signal })
    ctx.compress = false
    ctx.set({ 'Content-Type': eventStreamType, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
    ctx.body = Readable.from(eventStream(since, changes))
  }

  endSession(ctx: RouteContext): void {
    this.parts.site.requireOwnOrigin(ctx)
    const id = ctx.get(sessionHeader)
    if (!this.sessions.isKnown(id)) throw endedSession()
    this.sessions.end(ctx.state.caller.keyId, id)
    ctx.status = 204
  }

  /** The stream of a client since protocol version 2026-07-28, which names what it follows. */
  private async listen(
    ctx: RouteContext,
    client: InterfaceClient,
    parsedBody: Record<string, unknown>,
  ): Promise<Response> {
    const watched = new WatchedResources()
    // Resources that the caller cannot read are left out silently.
    for (const uri of listenedUris(parsedBody)) await watched.add(client, uri).catch(() => {})
    const since = this.workspace.events.live.head
    const unsubscribed = new AbortController()
    const signal = AbortSignal.any([this.openStream(ctx), unsubscribed.signal])
    const follow = async (listener: (event: ServerEvent) => void) => {
      for await (const { changes } of followChanges(client, { since, watched, signal })) {
        for (const change of changes) listener(change)
      }
    }
    const handler = createMcpHandler(
      () => newMcpServer(client, this.workspace.rendering.mentions, () => null),
      {
        bus: {
          publish: () => {},
          subscribe(listener) {
            follow(listener)
              .catch((error) => ctx.app.emit('error', error))
              .finally(() => handler.close())
            return () => unsubscribed.abort()
          },
        },
      },
    )
    return handler.fetch(requestOf(ctx), { parsedBody })
  }

  /** Fires when the client leaves or the server stops. @throws WorkspaceError above the key's limit */
  private openStream(ctx: RouteContext): AbortSignal {
    const close = this.streams.open(ctx.state.caller.keyId)
    const disconnected = new AbortController()
    ctx.res.once('close', () => {
      close()
      disconnected.abort()
    })
    return AbortSignal.any([disconnected.signal, this.parts.stopping])
  }

  private watchedInSession(ctx: RouteContext): WatchedResources | null {
    const id = ctx.get(sessionHeader)
    return this.sessions.isKnown(id) ? this.sessions.watchedIn(ctx.state.caller.keyId, id) : null
  }

  /** Returns the cursor at which a client resumes, or the newest. */
  private async startCursorOf(ctx: RouteContext, client: InterfaceClient): Promise<number> {
    const last = ctx.get('Last-Event-ID')
    if (last === '') return this.workspace.events.live.head
    await client.send('GET', '/v1/events', { query: { since: last, wait: 0 } }).catch((error) => {
      throw new WorkspaceError('bad_request', `Last-Event-ID is not an id of this stream. ${error.message}`)
    })
    return Number(last)
  }
}

const maxStreamsPerKey = 8

class OpenStreams {
  private readonly counts = new Map<string, number>()

  /** Returns a function that ends the count. @throws WorkspaceError `too_many_requests` */
  open(keyId: string): () => void {
    const count = this.counts.get(keyId) ?? 0
    if (count >= maxStreamsPerKey) {
      throw new WorkspaceError(
        'too_many_requests',
        `This key has ${maxStreamsPerKey} streams open. Close one, or follow events with the tool follow.`,
        { retryAfterMs: 10_000 },
      )
    }
    this.counts.set(keyId, count + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const remaining = this.counts.get(keyId)! - 1
      if (remaining === 0) this.counts.delete(keyId)
      else this.counts.set(keyId, remaining)
    }
  }
}

const endedSession = () =>
  new WorkspaceError('not_found', 'This session has ended or never existed. Initialize again.')

function requireKnownVersion(version: string): void {
  if (version === '' || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return
  throw new WorkspaceError(
    'bad_request',
    `${versionHeader} must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')} to follow a session.`,
  )
}

function listenedUris({ params }: Record<string, unknown>): string[] {
  const { notifications } = (params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } }
  const uris = notifications?.resourceSubscriptions
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

function requestOf(ctx: RouteContext): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(ctx.req.headers)) {
    if (value !== undefined) headers.set(name, String(value))
  }
  return new Request(new URL('/mcp', 'http://workroom.invalid'), { method: 'POST', headers, body: '{}' })
}

/** Turns a stream into its only message: no tool sends another before its result. */
async function onlyMessage(response: Response): Promise<Response> {
  const { headers, status } = response
  if (!headers.get('Content-Type')?.startsWith(eventStreamType)) return response
  const line = (await response.text()).split('\n').find((line) => line.startsWith(dataField))!
  return new Response(line.slice(dataField.length), {
    status,
    headers: { 'Content-Type': 'application/json' },
  })
}

function send(ctx: RouteContext, response: Response): void {
  response.headers.forEach((value, name) => {
    ctx.set(name, value)
  })
  ctx.set('Cache-Control', 'no-store')
  // The compressor would hold messages back.
  if (response.headers.get('Content-Type')?.startsWith(eventStreamType)) ctx.compress = false
  ctx.body = response.body === null ? null : Readable.fromWeb(response.body as never)
  // After the body, since a null body sets 204, but clients expect 202.
  ctx.status = response.status
}
