import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Served, serve } from '../bench/processes.ts'
import { basicAuthorization } from '../support/dav-client.ts'
import { type HttpResponse, type RequestOptions, request } from '../support/http-client.ts'

/** How long a server may take to ingest changes of the disk on a busy machine. */
const timeoutMs = 60_000

/** A server that is killed and restarted on one home, with a client. */
export class DavServer {
  /** Whether requests have broken off since it was last set to false. */
  wasInterrupted = false
  private server: Served | null = null
  private agent = new Agent({ keepAlive: true })

  constructor(
    readonly home: string,
    private readonly key: string,
  ) {}

  onDisk(path: string): string {
    return join(this.home, 'projects', path)
  }

  async start(): Promise<void> {
    this.agent = new Agent({ keepAlive: true })
    this.server = await serve(this.home)
  }

  /** @param how `kill` sends SIGKILL in the middle of whatever is under way */
  async stop(how: 'kill' | 'close'): Promise<void> {
    this.wasInterrupted ||= how === 'kill'
    await this.server![how]()
    this.agent.destroy()
  }

  /** @throws the system's error if the connection breaks off */
  send(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return request(`http://127.0.0.1:${this.server!.port}`, method, path, {
      agent: this.agent,
      ...(path.startsWith('/dav/') ? {} : { key: this.key }),
      ...options,
      headers: {
        ...(path.startsWith('/dav/') && { Authorization: basicAuthorization(this.key) }),
        ...options.headers,
      },
    })
  }

  /** Sends a request to the mount. @param path in `projects` */
  dav(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.send(method, `/dav/projects/${encodeURI(path)}`, options)
  }

  transfer(method: 'MOVE' | 'COPY', from: string, to: string): Promise<HttpResponse> {
    return this.dav(method, from, { headers: { Destination: `/dav/projects/${encodeURI(to)}` } })
  }

  /** The stack that the server's log holds for a failed request. */
  logOf(requestId: string): string {
    const lines = readFileSync(join(this.home, '..', 'server.log'), 'utf8').split('\n')
    const line = lines.find((line) => line.includes(requestId) && line.includes('"stack"'))
    return line ? String(JSON.parse(line).err?.stack ?? line) : 'The log says nothing of it'
  }

  /** Waits for a condition. @returns false if it does not come true in time */
  async waitFor(condition: () => boolean | Promise<boolean>): Promise<boolean> {
    for (const endMs = performance.now() + timeoutMs; performance.now() < endMs; ) {
      if (await condition()) return true
      await pause(100)
    }
    return false
  }
}
