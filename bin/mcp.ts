import { createInterface } from 'node:readline'
import { UsageError } from './arguments.ts'

interface Message {
  id?: string | number
  method?: string
  params?: { name?: string; uri?: string; _meta?: Record<string, unknown> }
}

const versionField = 'io.modelcontextprotocol/protocolVersion'
/** By the specification of JSON-RPC. */
const internalError = -32603

/**
 * The Model Context Protocol on standard input and output, for clients that start their servers: a bridge to the
 * running server that `WORKROOM_URL` names, with the key in `WORKROOM_KEY` (`docs/mcp.md`).
 */
export async function bridge(environment: NodeJS.ProcessEnv): Promise<number> {
  const { WORKROOM_URL: url, WORKROOM_KEY: key } = environment
  if (!url || !key || !URL.canParse('/mcp', url)) {
    throw new UsageError('set WORKROOM_URL to the address of the server and WORKROOM_KEY to a key')
  }
  const address = new URL('/mcp', url)
  const pending = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const answered = answer(address, key, line).finally(() => pending.delete(answered))
    pending.add(answered)
  }
  await Promise.all(pending)
  return 0
}

async function answer(address: URL, key: string, line: string): Promise<void> {
  const message = parse(line)
  try {
    const response = await fetch(address, { method: 'POST', headers: headersOf(message, key), body: line })
    const text = await response.text()
    if (!response.ok && !text.includes('"jsonrpc"')) throw new Error(refusalOf(text, response.status))
    for (const message of messagesIn(text, response)) process.stdout.write(`${message}\n`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (message.id === undefined) process.stderr.write(`workroom: ${reason}\n`)
    else process.stdout.write(`${JSON.stringify(errorAnswer(message.id, reason))}\n`)
  }
}

/** An answer is one message, or a stream of them as server-sent events. */
function messagesIn(text: string, { headers }: Response): string[] {
  if (!headers.get('Content-Type')?.startsWith('text/event-stream')) return text === '' ? [] : [text.trim()]
  return [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, message]) => message!)
}

function parse(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return {}
  }
}

/** What a server knows of a message before it reads it. */
function headersOf({ method, params }: Message, key: string): Record<string, string> {
  const version = params?._meta?.[versionField]
  const name = params?.name ?? params?.uri
  return {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(typeof version === 'string' && {
      'MCP-Protocol-Version': version,
      ...(method !== undefined && { 'Mcp-Method': method }),
      ...(name !== undefined && { 'Mcp-Name': name }),
    }),
  }
}

function refusalOf(text: string, status: number): string {
  try {
    return (JSON.parse(text) as { error: string }).error
  } catch {
    return `The server answered with status ${status}. Is WORKROOM_URL the address of a Workroom?`
  }
}

const errorAnswer = (id: string | number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code: internalError, message },
})
