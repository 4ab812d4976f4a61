import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Member } from '../../core/access/member.ts'
import { type Config, defaultConfig } from '../../core/config.ts'
import type { NewMember } from '../../core/members/member-store.ts'
import type { OpenWorkspace } from '../../core/workspace/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../server/index.ts'
import { type CapturedLog, capturedLog } from './captured-log.ts'
import { checkResponses } from './checked-responses.ts'
import { eventually } from './eventually.ts'
import { type HttpResponse, type RequestOptions, request } from './http-client.ts'
import { seededRandom } from './seeded-random.ts'
import { processMarkdown } from './shared-markdown.ts'
import { TestClock } from './test-clock.ts'

export interface WorkroomOptions extends Pick<ServerOptions, 'scanEveryMs' | 'faults'> {
  config?: Partial<Config>
  clock?: TestClock
  /** The owner's display name; default Ada. */
  owner?: string
  /** Called with the home before the server first starts. */
  prepare?: (home: string) => void | Promise<void>
}

export interface Workroom {
  readonly url: string
  readonly home: string
  readonly workspace: OpenWorkspace
  readonly clock: TestClock
  readonly log: CapturedLog
  readonly owner: { member: Member; key: string }
  /** Sends a request with the owner's key, unless `key` is given; `key: undefined` sends none. */
  request(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  /** Adds a member, who joins the projects with these slugs. */
  addMember(member: NewMember, ...projects: string[]): Promise<{ member: Member; key: string }>
  eventually: typeof eventually
  close(): Promise<void>
  /** Restarts the server on another port. `between` runs while it is down. */
  restart(between?: () => void | Promise<void>): Promise<void>
  /** Restarts the server on the same port, for open pages. */
  restartInPlace(between?: () => void | Promise<void>): Promise<void>
}

/** A folder of its own for each server of a test: `testdir` would remove that of one that runs. */
function newHome(t: Test): string {
  const folder = existsSync(t.testdirName) ? t.testdirName : t.testdir()
  const taken = readdirSync(folder).filter((name) => name.startsWith('home')).length
  return join(folder, taken === 0 ? 'home' : `home-${taken + 1}`)
}

/** Starts a real server with a fresh home, a free port and a clock for the test to move. */
export async function startWorkroom(t: Test, options: WorkroomOptions = {}): Promise<Workroom> {
  const { clock = new TestClock(), owner = 'Ada', prepare } = options
  const config = { ...defaultConfig, ...options.config }
  const faults = { markdown: processMarkdown(), ...options.faults }
  let server: RunningServer | null = null
  const close = async () => {
    const closing = server
    server = null
    await closing?.close()
  }
  const endChecks = checkResponses(
    () => server?.port,
    (difference) => t.fail(difference),
  )
  // Before `testdir`, whose teardown would otherwise remove the home under the running server.
  t.teardown(() => close().finally(endChecks))
  const home = newHome(t)
  const random = seededRandom(t.fullname)
  const log = capturedLog()
  const created = await createWorkspace({ home, name: 'Testers', owner, clock, random })
  await prepare?.(home)

  const running = () => {
    if (!server) throw new Error('The server is down.')
    return server
  }
  const start = async (port = 0) => {
    server = await startServer({ ...options, faults, home, config, port, clock, random, log })
  }
  await start()

  return {
    home,
    clock,
    log,
    eventually,
    close,
    owner: { member: created.member, key: created.key },
    get url() {
      return `http://127.0.0.1:${running().port}`
    },
    get workspace() {
      return running().workspace
    },
    request(method, path, options) {
      const url = `http://127.0.0.1:${running().port}`
      return request(url, method, path, { key: created.key, ...options })
    },
    async addMember(member, ...projects) {
      const { workspace } = running()
      const added = await workspace.stores.members.add(member)
      for (const slug of projects) {
        await workspace.stores.projects.join(workspace.stores.projects.find(slug)!, added.member, 'member')
      }
      return added
    },
    async restart(between) {
      await close()
      await between?.()
      await start()
    },
    async restartInPlace(between) {
      const { port } = running()
      await close()
      await between?.()
      await start(port)
    },
  }
}
