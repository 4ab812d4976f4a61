import { join } from 'node:path'
import { Mutex } from 'async-mutex'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { type HttpResponse, type RequestOptions, request } from '../../support/http-client.ts'
import { type Signin, signInForEditing } from '../../support/live-editor.ts'
import { type ChildServer, type ChildServers, childServers } from '../durability/child-server.ts'
import type { Moment } from '../durability/killable-server.ts'

/** A server that is killed and started again on its home while its clients go on. */
export class KilledServer {
  private readonly acting = new Mutex()

  private constructor(
    readonly home: string,
    readonly key: string,
    private readonly servers: ChildServers,
    private server: ChildServer,
  ) {}

  /** @param folder absolute path of a folder without an entry named `home` */
  static async start(folder: string, code: string, teardown: (end: () => unknown) => void) {
    const home = join(folder, 'home')
    const { key } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
    const servers = childServers({ teardown }, { home, code })
    return new KilledServer(home, key, servers, await servers.start())
  }

  /** The URL of the newest process. */
  get url(): string {
    return this.server.url
  }

  send(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return request(this.url, method, path, { key: this.key, ...options })
  }

  async signIn(key = this.key): Promise<Signin> {
    return signInForEditing(
      { url: this.url, request: (method, path, options) => this.send(method, path, options) },
      key,
    )
  }

  /** Makes it kill itself at a moment of its next write. */
  dieAt(moment: Moment): Promise<void> {
    return this.server.dieAt(moment)
  }

  /** @param meanwhile runs while no server does */
  async restart(meanwhile: () => void | Promise<void> = () => {}): Promise<void> {
    await this.acting.runExclusive(async () => {
      this.server.kill()
      await this.server.gone
      await meanwhile()
      this.server = await this.servers.start()
    })
  }

  /** Begins something while the server is paused, resumes the server, and waits for the end of what began. */
  async whileStill(begin: () => void | Promise<void>): Promise<void> {
    await this.acting.runExclusive(async () => {
      this.server.pause()
      await this.server.still()
      const begun = begin()
      this.server.resume()
      await begun
    })
  }
}
