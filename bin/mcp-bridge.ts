import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from './arguments.ts'

/** Bridges standard input and output to a running server, for MCP clients (`docs/mcp.md`). */
export async function bridge(environment: NodeJS.ProcessEnv): Promise<number> {
  const { WORKROOM_URL: url, WORKROOM_KEY: key } = environment
  if (!url || !key || !URL.canParse('/mcp', url)) {
    throw new UsageError('set WORKROOM_URL to the address of the server and WORKROOM_KEY to a key')
  }
  const bridge = new McpBridge(new URL('/mcp', url), key, {
    onMessage: (message) => process.stdout.write(`${message}\n`),
    onProblem: (reason) => process.stderr.write(`workroom: ${reason}\n`),
  })
  for await (const line of linesIn(process.stdin)) {
    if (line.trim() !== '') bridge.forward(line)
  }
  await bridge.close()
  return 0
}

interface Message {
  id?: string | number
  method?: string
  params?: { name?: string; uri?: string; requestId?: string | number; _meta?: Record<string, unknown> }
}

interface Listeners {
  /** Receives one JSON-RPC message as text. */
  onMessage: (message: string) => void
  onProblem: (reason: string) => void
}

/** What `initialize` began, in protocol versions before 2026-07-28. */
interface Session {
  id: string
  version: string
  initialize: string
  subscribed: Set<string>
  /** Fulfilled once the session's stream is open, or the first try to open it has failed. */
  stream: Promise<void>
}

const versionField = 'io.modelcontextprotocol/protocolVersion'
/** The code of JSON-RPC. */
const internalError = -32603
const retryMs = 1000

/** Passes messages from a client to the server, and the server's responses and notifications back. */
export class McpBridge {
  private readonly pending = new Map<
    Promise<void>,
    { id: Message['id']; isStream: boolean; controller: AbortController }
  >()
  private readonly closing = new AbortController()
  private session: Session | null = null

  constructor(
    private readonly address: URL,
    private readonly key: string,
    private readonly listeners: Listeners,
  ) {}

  forward(line: string): void {
    const message = parse(line)
    if (message.method === 'notifications/cancelled') this.cancel(message.params?.requestId)
    const controller = new AbortController()
    const exchange = this.exchange(line, message, controller.signal).finally(() =>
      this.pending.delete(exchange),
    )
    this.pending.set(exchange, {
      id: message.id,
      isStream: message.method === 'subscriptions/listen',
      controller,
    })
  }

  /** Aborts subscriptions and waits for all other requests. */
  async close(): Promise<void> {
    for (const { isStream, controller } of this.pending.values()) if (isStream) controller.abort()
    await Promise.all(this.pending.keys())
    this.closing.abort()
  }

  private cancel(id: Message['id']): void {
    for (const request of this.pending.values()) {
      if (id !== undefined && request.id === id) request.controller.abort()
    }
  }

  private async exchange(line: string, message: Message, signal: AbortSignal): Promise<void> {
    const { id, method } = message
    try {
      // What a client reads after this must not change before the stream is open.
      if (method === 'resources/subscribe') await this.session?.stream
      const response = await this.post(line, message, signal)
      for await (const text of messagesIn(response)) {
        if (method === 'initialize') this.beginSession(line, response, text)
        this.listeners.onMessage(text)
      }
      this.noteSubscription(message)
      if (method === 'notifications/initialized' && this.session) this.follow(this.session)
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      if (id === undefined) this.listeners.onProblem(reason)
      else this.listeners.onMessage(JSON.stringify(errorResponse(id, reason)))
    }
  }

  private async post(line: string, message: Message, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.headers(), ...headersOf(message), 'Content-Type': 'application/json' }
    const response = await fetch(this.address, { method: 'POST', headers, body: line, signal })
    if (response.ok) return response
    const text = await response.text()
    if (text.includes('"jsonrpc"')) return new Response(text)
    throw new Error(refusalOf(text, response.status))
  }

  private beginSession(initialize: string, { headers }: Response, text: string): void {
    const id = headers.get('Mcp-Session-Id')
    const { result } = JSON.parse(text) as { result?: { protocolVersion: string } }
    if (id === null || !result) return
    const version = result.protocolVersion
    this.session = { id, version, initialize, subscribed: new Set(), stream: Promise.resolve() }
  }

  private noteSubscription({ method, params }: Message): void {
    if (params?.uri === undefined) return
    if (method === 'resources/subscribe') this.session?.subscribed.add(params.uri)
    if (method === 'resources/unsubscribe') this.session?.subscribed.delete(params.uri)
  }

  /** Passes on notifications of the server until the client leaves. */
  private follow(session: Session): void {
    session.stream = new Promise((resolve) => void this.readStreams(session, resolve).finally(resolve))
  }

  /** Opens the session's stream again whenever it ends. */
  private async readStreams(session: Session, onTried: () => void): Promise<void> {
    const { signal } = this.closing
    let lastEventId = ''
    let hasMissed = false
    while (!signal.aborted && this.session === session) {
      try {
        const headers = { ...this.headers(), ...(lastEventId !== '' && { 'Last-Event-ID': lastEventId }) }
        const response = await fetch(this.address, { headers, signal })
        if (response.status === 404) {
          lastEventId = ''
          await this.resume(session)
          hasMissed = true
          continue
        }
        if (!response.ok) return this.listeners.onProblem(refusalOf(await response.text(), response.status))
        onTried()
        // Only once the stream is open: what a client reads from now on cannot change unnoticed.
        if (hasMissed) this.reportAllChanged(session)
        hasMissed = false
        for await (const line of linesOf(response)) {
          if (line.startsWith('id: ')) lastEventId = line.slice(4)
          if (line.startsWith('data: {')) this.listeners.onMessage(line.slice(6))
        }
      } catch (error) {
        onTried()
        // A TypeError means that the server is down: try again.
        if (!signal.aborted && !(error instanceof TypeError)) this.listeners.onProblem(String(error))
      }
      await delay(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Begins a session and subscribes again, after a restart of the server. */
  private async resume(session: Session): Promise<void> {
    const { signal } = this.closing
    const response = await this.post(session.initialize, parse(session.initialize), signal)
    await response.text()
    session.id = response.headers.get('Mcp-Session-Id') ?? session.id
    for (const uri of session.subscribed) {
      const message = { jsonrpc: '2.0', id: 0, method: 'resources/subscribe', params: { uri } }
      await (await this.post(JSON.stringify(message), message, signal)).text()
    }
  }

  private reportAllChanged(session: Session): void {
    const methods = ['resources/list_changed', 'prompts/list_changed']
    for (const method of methods) this.notify({ method: `notifications/${method}` })
    for (const uri of session.subscribed)
      this.notify({ method: 'notifications/resources/updated', params: { uri } })
  }

  private notify(notification: object): void {
    this.listeners.onMessage(JSON.stringify({ jsonrpc: '2.0', ...notification }))
  }

  private headers(): Record<string, string> {
    return {
      Authorization: `Bearer ${this.key}`,
      Accept: 'application/json, text/event-stream',
      ...(this.session && {
        'Mcp-Session-Id': this.session.id,
        'MCP-Protocol-Version': this.session.version,
      }),
    }
  }
}

/** A response is one message or a stream of server-sent events. */
async function* messagesIn(response: Response): AsyncGenerator<string, void> {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') yield text.trim()
    return
  }
  for await (const line of linesOf(response)) if (line.startsWith('data: {')) yield line.slice(6)
}

const linesOf = ({ body }: Response): AsyncIterable<string> =>
  linesIn(body as unknown as AsyncIterable<Uint8Array>)

function parse(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return {}
  }
}

/** Copies into headers what a server checks before it reads the message. */
function headersOf({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[versionField]
  const name = params?.name ?? params?.uri
  return {
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

const errorResponse = (id: string | number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code: internalError, message },
})

/** Splits UTF-8 at line feeds. Node's readline also splits at U+2028, which JSON does not escape. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (rest !== '') yield rest
}
