import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { type InterfaceClient, RefusedError } from './interface-client.ts'
import { registerPrompts } from './prompts.ts'
import { registerResources } from './resources.ts'
import type { Mentions, Tool } from './tool.ts'
import { toolDescriptions, tools } from './tool-list.ts'
import type { WatchedResources } from './watched-resources.ts'

const instructions =
  'A workspace of people and agents: rooms, and projects that are folders of markdown files. Begin with orient. Paths in results can be used in the next call.'

/** Returns null without a session. */
type WatchedInSession = () => WatchedResources | null

export function newMcpServer(
  client: InterfaceClient,
  mentions: Mentions,
  watchedInSession: WatchedInSession,
): McpServer {
  const capabilities = { tools: { listChanged: false } }
  const server = new McpServer({ name: 'workroom', version: '1' }, { instructions, capabilities })
  for (const tool of tools) registerTool(server, tool, (input) => tool.run(client, input, mentions))
  server.server.setRequestHandler('tools/list', () => ({ tools: [...toolDescriptions] }))
  registerResources(server, client)
  registerPrompts(server, client)
  registerSubscriptions(server, client, watchedInSession)
  return server
}

function registerTool(
  server: McpServer,
  { name, input, output }: Tool,
  run: (input: Record<string, unknown>) => Promise<Record<string, unknown>>,
): void {
  server.registerTool(
    name,
    { inputSchema: input, outputSchema: output },
    async (args: Record<string, unknown>) => {
      try {
        const result = await run(args)
        return { structuredContent: result, content: contentOf(result) }
      } catch (error) {
        return { isError: true, content: [{ type: 'text', text: refusalText(error) }] }
      }
    },
  )
}

/** For protocol versions before 2026-07-28. Later clients name what they follow when they open the stream. */
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
      'Subscriptions need a session: send the header Mcp-Session-Id that initialize returned. If you did, the session has ended: initialize again.',
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

const textOf = (content: object) => ({ type: 'text' as const, text: JSON.stringify(content) })

/** Repeats data as text, for clients that do not show data. `text` is not wrapped in JSON. */
function contentOf(result: Record<string, unknown>) {
  const { text, ...data } = result
  if (typeof text !== 'string') return [textOf(result)]
  const dataContent = Object.keys(data).length === 0 ? [] : [textOf(data)]
  return [{ type: 'text' as const, text }, ...dataContent]
}

/** The interface's own message, with the fields that help to continue. */
function refusalText(error: unknown): string {
  if (!(error instanceof RefusedError)) return error instanceof Error ? error.message : String(error)
  const { requestId, error: _, message: __, code, ...details } = error.response.json ?? {}
  return Object.keys(details).length === 0 ? error.message : `${error.message}\n${JSON.stringify(details)}`
}
