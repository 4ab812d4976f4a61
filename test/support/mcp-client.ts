import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Test } from 'tap'
import { nodeArguments } from '../bin/run-workroom.ts'

/** HTTP, HTTP with the protocol version 2026-07-28, or `workroom mcp`. */
export const connections = ['http', 'http 2026-07-28', 'stdio'] as const
export type Connection = (typeof connections)[number]

export interface Notified {
  updated: string[]
  resourceLists: number
  promptLists: number
}

export interface ConnectedClient {
  client: Client
  notified: Notified
  /** @returns the first text, and the structured content */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  call(name: string, args?: Record<string, unknown>): Promise<{ isError: boolean; text: string; value: any }>
}

export async function connectMcp(
  t: Test,
  url: string,
  {
    key,
    connection = 'http',
    fetch,
  }: { key: string; connection?: Connection; fetch?: typeof globalThis.fetch },
): Promise<ConnectedClient> {
  const isNew = connection === 'http 2026-07-28'
  const client = new Client(
    { name: 'test', version: '1' },
    isNew ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const notified: Notified = { updated: [], resourceLists: 0, promptLists: 0 }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    notified.updated.push(params.uri)
  })
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    notified.resourceLists += 1
  })
  client.setNotificationHandler('notifications/prompts/list_changed', () => {
    notified.promptLists += 1
  })
  await client.connect(
    connection === 'stdio'
      ? new StdioClientTransport({
          command: process.execPath,
          args: [...nodeArguments, 'mcp'],
          env: { ...process.env, WORKROOM_URL: url, WORKROOM_KEY: key } as Record<string, string>,
        })
      : (new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
          requestInit: { headers: { Authorization: `Bearer ${key}` } },
          ...(fetch && { fetch }),
        }) as never),
  )
  t.teardown(() => client.close())
  return {
    client,
    notified,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args })
      const [content] = result.content as { text: string }[]
      return { isError: result.isError === true, text: content!.text, value: result.structuredContent }
    },
  }
}

/** Subscribes to resources in the way of the connection's protocol version. */
export async function subscribe(
  { client }: ConnectedClient,
  connection: Connection,
  ...uris: string[]
): Promise<void> {
  if (connection === 'http 2026-07-28') {
    await client.listen({
      resourceSubscriptions: uris,
      resourcesListChanged: true,
      promptsListChanged: true,
    })
    return
  }
  for (const uri of uris) await client.subscribeResource({ uri })
}
