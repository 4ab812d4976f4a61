import { join } from 'node:path'
import type { Test } from 'tap'
import type { Member } from '../../core/access/member.ts'
import { type Config, defaultConfig } from '../../core/config.ts'
import type { NewMember } from '../../core/members/member-store.ts'
import type { OpenWorkspace } from '../../core/workspace/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../server/index.ts'
import { type CapturedLog, capturedLog } from './captured-log.ts'
import { checkAnswers } from './checked-answers.ts'
import { eventually } from './eventually.ts'
import { type Answer, type RequestOptions, request } from './http-client.ts'
import { seededRandom } from './seeded-random.ts'
import { processMarkdown } from './shared-markdown.ts'
import { TestClock } from './test-clock.ts'

export interface WorkroomOptions extends Pick<ServerOptions, 'scanEveryMs' | 'faults'> {
  /** In place of the defaults. */
  config?: Partial<Config>
  clock?: TestClock
  /** Display name of the owner; default Ada. */
  owner?: string
  /** Called with the folder before the server first starts, to put files in it. */
  prepare?: (home: string) => void | Promise<void>
}

export interface Workroom {
  readonly url: string
  /** Absolute path of the workspace's folder. */
  readonly home: string
  readonly workspace: OpenWorkspace
  readonly clock: TestClock
  readonly log: CapturedLog
  readonly owner: { member: Member; key: string }
  /** As the owner, unless `key` says otherwise; `key: undefined` sends none. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Adds a member, and puts them into the projects (slugs) where any are named. */
  addMember(member: NewMember, ...projects: string[]): Promise<{ member: Member; key: string }>
  eventually: typeof eventually
  /** Stops the server; the home stays. */
  close(): Promise<void>
  /** Stops the server and starts it again on the same home, on another port. `between` runs while it is down. */
  restart(between?: () => void | Promise<void>): Promise<void>
  /** The same on the same port, for pages that are open. */
  restartInPlace(between?: () => void | Promise<void>): Promise<void>
}

/** A whole Workroom for one test: a fresh home on a real disk, a real server on a free port, a clock to turn. */
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
  const endChecks = checkAnswers(
    () => server?.port,
    (difference) => t.fail(difference),
  )
  // Before `testdir`, which otherwise removes the home from under the running server.
  t.teardown(() => close().finally(endChecks))
  const home = join(t.testdir(), 'home')
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
