import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { type InterfaceClient, RefusedError } from './interface-client.ts'
import { registerPrompts } from './prompts.ts'
import { registerResources } from './resources.ts'
import type { Tool } from './tool.ts'
import { asks } from './tools/asks.ts'
import { history, list, orient, read, search, who } from './tools/reading.ts'
import { follow, inbox, say } from './tools/talking.ts'
import { edit, move, remove, restore, write } from './tools/writing.ts'
import type { WatchedResources } from './watched-resources.ts'

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

/** What the session of a request is subscribed to; null without a session. */
export type WatchedInSession = () => WatchedResources | null

export function newMcpServer(client: InterfaceClient, watchedInSession: WatchedInSession): McpServer {
  const capabilities = { tools: { listChanged: false } }
  const server = new McpServer({ name: 'workroom', version: '1' }, { instructions, capabilities })
  for (const tool of tools) registerTool(server, client, tool)
  registerResources(server, client)
  registerPrompts(server, client)
  registerSubscriptions(server, client, watchedInSession)
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

/** For clients of the protocol before 2026-07-28; others say what they follow as they open the stream. */
function registerSubscriptions(
  { server }: McpServer,
  client: InterfaceClient,
  watchedInSession: WatchedInSession,
): void {
  const requireSession = () => {
    const watched = watchedInSession()
    if (watched) return watched
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      'Subscriptions need a session: send the header Mcp-Session-Id that initialize answered. If you do, it has ended: initialize again.',
    )
  }
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    await requireSession().add(client, params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    requireSession().remove(params.uri)
    return {}
  })
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
