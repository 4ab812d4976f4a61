import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { HttpError } from '../error-response.ts'
import { readJson } from '../middleware/body.ts'
import type { OriginCheck } from '../same-origin.ts'
import { InterfaceClient, RefusedError } from './interface-client.ts'
import { registerResources } from './resources.ts'
import type { Tool } from './tool.ts'
import { asks } from './tools/asks.ts'
import { history, list, orient, read, search, who } from './tools/reading.ts'
import { follow, inbox, say } from './tools/talking.ts'
import { edit, move, remove, restore, write } from './tools/writing.ts'

export const tools: readonly Tool[] = [
  orient,
  list,
  read,
  search,
  write,
  edit,
  move,
  remove,
  restore,
  history,
  say,
  inbox,
  asks,
  follow,
  who,
]

const instructions =
  'A workspace of people and agents: rooms, and projects that are folders of markdown files. Begin with orient. Paths in answers can be handed to the next call.'

/** `/mcp`: the interface for clients of the Model Context Protocol (`docs/mcp.md`), without sessions. */
export function mcpRoutes(site: OriginCheck, listener: () => RequestListener): Routes {
  const clients = new WeakMap<Request, InterfaceClient>()
  const handler = createMcpHandler(({ requestInfo }) => mcpServer(clients.get(requestInfo!)!))
  const answer = async (ctx: RouteContext) => {
    if (ctx.req.headers.origin !== undefined) site.requireSameOrigin(ctx)
    const request = requestOf(ctx)
    clients.set(request, new InterfaceClient(listener(), ctx.req))
    const parsedBody = await readJson(ctx)
    send(ctx, await handler.fetch(request, { parsedBody }))
  }
  return newRoutes()
    .purpose('Use the workspace by the Model Context Protocol')
    .post('/mcp', answer)
    .all('refusals', '/mcp', () => {
      throw new HttpError('method_not_allowed', 'Only POST is possible here.', { Allow: 'POST' })
    })
}

function mcpServer(client: InterfaceClient): McpServer {
  const server = new McpServer({ name: 'workroom', version: '1' }, { instructions })
  for (const tool of tools) registerTool(server, client, tool)
  registerResources(server, client)
  return server
}

function registerTool(server: McpServer, client: InterfaceClient, tool: Tool): void {
  const { name, title, description, input, output } = tool
  const annotations = {
    title,
    readOnlyHint: tool.isReadOnly ?? false,
    destructiveHint: tool.isDestructive ?? false,
    idempotentHint: tool.isIdempotent ?? tool.isReadOnly ?? false,
    openWorldHint: false,
  }
  server.registerTool(
    name,
    { title, description, inputSchema: input, outputSchema: output, annotations },
    async (args: Record<string, unknown>) => {
      try {
        const structuredContent = await tool.run(client, args)
        return { structuredContent, content: [{ type: 'text' as const, text: textOf(structuredContent) }] }
      } catch (error) {
        return { isError: true, content: [{ type: 'text' as const, text: refusalText(error) }] }
      }
    },
  )
}

/** A text stands alone where it is all that there is: as JSON it would be harder to read and longer. */
function textOf(content: Record<string, unknown>): string {
  const { text, ...others } = content
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : JSON.stringify(content)
}

/** In the words of the interface, with what is needed to go on. */
function refusalText(error: unknown): string {
  if (!(error instanceof RefusedError)) return error instanceof Error ? error.message : String(error)
  const { requestId, error: _, message: __, code, ...more } = error.answer.json ?? {}
  return Object.keys(more).length === 0 ? error.message : `${error.message}\n${JSON.stringify(more)}`
}

function requestOf(ctx: RouteContext): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(ctx.req.headers)) {
    if (value !== undefined) headers.set(name, String(value))
  }
  return new Request(new URL('/mcp', 'http://workroom.invalid'), { method: 'POST', headers, body: '{}' })
}

function send(ctx: RouteContext, response: Response): void {
  ctx.status = response.status
  response.headers.forEach((value, name) => {
    ctx.set(name, value)
  })
  ctx.set('Cache-Control', 'no-store')
  ctx.body = response.body === null ? null : Readable.fromWeb(response.body as never)
}
