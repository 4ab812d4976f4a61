import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import nock from 'nock'
import type { Test } from 'tap'
import { defaultConfig } from '../../core/config.ts'
import { openOutbound } from '../../data/outbound/http.ts'
import type { Actor } from './chat.ts'
import { makeRepository } from './code-repository.ts'
import type { HttpResponse } from './http-client.ts'
import { mockRequests } from './mocked-requests.ts'
import { startWorkroom, type Workroom } from './workroom.ts'

/** What tests of pull requests share: a server and a simulated forge. Requests that it expects must come. */
interface ForgeTests {
  workroom: Workroom
  /** An agent in every project. */
  bot: Actor
  /** The path of a repository that can be linked. */
  source: string
  /** Reads a file, as the agent unless `key` says otherwise. */
  get(path: string, key?: string): Promise<HttpResponse>
  /** Advances the clock past the time for which the known state counts as fresh. */
  expireState(): void
  link(body: object, slug?: string): Promise<HttpResponse>
  /** Removes a repository of the project `general`. */
  unlink(dir: string): Promise<HttpResponse>
  /** Links the project `general` to `app`, which has sent these pull requests, until the test ends. */
  linkApp(t: Test, pulls: object[], headers?: Record<string, string>): Promise<void>
  /** Creates a project with a repository at this forge, which has sent these pull requests. */
  newProject(name: string, pulls: object[]): Promise<ForgeProject>
}

type ForgeProject = ReturnType<typeof forgeRepository> & {
  slug: string
  path: string
  /** The JSON of its pull requests. */
  read(): Promise<HttpResponse['json']>
}

export async function openForge(t: Test): Promise<ForgeTests> {
  const addresses: Record<string, string> = { 'inside.example': '10.0.0.1' }
  const roots = join(t.testdirName, 'code')
  const workroom = await startWorkroom(t, {
    config: { ...defaultConfig, repositories: { roots: [roots] } },
    prepare: () => void mkdirSync(roots),
    faults: {
      outbound: openOutbound({ allow: [], resolve: async (name) => [addresses[name] ?? '93.184.216.34'] }),
    },
  })
  const { clock, request, workspace } = workroom
  const { path: source } = makeRepository(join(roots, 'app.git'), { a: '1' })
  const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')

  mockRequests(t, '127.0.0.1')
  t.afterEach(() => {
    const missed = nock.pendingMocks()
    nock.cleanAll()
    if (missed.length > 0) throw new Error(`Nobody asked for ${missed}.`)
  })

  const get: ForgeTests['get'] = (path, key = bot.key) => request('GET', path, { key })
  const link: ForgeTests['link'] = (body, slug = 'general') => request('POST', linksPath(slug), { body })
  const unlink: ForgeTests['unlink'] = (dir) => request('DELETE', `${linksPath('general')}/${dir}`)
  return {
    workroom,
    bot,
    source,
    get,
    expireState: () => clock.advance(30_000),
    link,
    unlink,
    async linkApp(t, pulls, headers = {}) {
      app.list().reply(200, pulls, headers)
      const { status, text } = await link({ dir: 'app', source, forge: app.forge })
      if (status !== 201) throw new Error(text)
      t.teardown(() => unlink('app'))
    },
    async newProject(name, pulls) {
      const { slug } = (await request('POST', '/v1/fs/projects', { body: { name } })).json
      const theirs = forgeRepository(slug)
      theirs.list().reply(200, pulls)
      const { status, text } = await link({ dir: 'app', source, forge: theirs.forge }, slug)
      if (status !== 201) throw new Error(text)
      await workspace.stores.projects.join(workspace.stores.projects.find(slug)!, bot.member, 'member')
      const path = `/v1/fs/projects/${slug}/pulls`
      return { ...theirs, slug, path, read: async () => (await get(path)).json }
    },
  }
}

export const linksPath = (slug: string): string => `/v1/projects/${slug}/repositories`

export const token = 'ghp_hunter2'

const api = 'https://forge.example/api/v1'

export const updatedAtMs = (number: number): number => 1_750_000_000_000 + number * 1000

/** A pull request as a forge sends it. */
export const pullRequest = (number: number, fields: object = {}): object => ({
  number,
  title: `Pull ${number}`,
  state: 'open',
  draft: false,
  merged_at: null,
  head: { ref: `branch-${number}`, sha: String(number).padStart(40, 'a') },
  base: { ref: 'main', sha: 'b'.repeat(40) },
  user: { login: 'grace' },
  body: null,
  html_url: `https://forge.example/team/app/pulls/${number}`,
  updated_at: new Date(updatedAtMs(number)).toISOString(),
  ...fields,
})

/** A repository at the forge: the fields of its link, and the expected requests. Each project has another. */
export function forgeRepository(name: string) {
  const base = `/api/v1/repos/team/${name}/pulls`
  const expectRequest = (accept: string) => nock('https://forge.example', { reqheaders: { accept } })
  return {
    forge: { api: `${api}/`, owner: 'team', name, token },
    list: (page = 1) =>
      expectRequest('application/vnd.github+json')
        .get(base)
        .query({
          state: 'all',
          sort: 'updated',
          direction: 'desc',
          per_page: '50',
          limit: '50',
          page: String(page),
        }),
    one: (number: number) => expectRequest('application/vnd.github+json').get(`${base}/${number}`),
    diff: (number: number) => expectRequest('application/vnd.github.diff').get(`${base}/${number}`),
    diffByName: (number: number) => nock('https://forge.example').get(`${base}/${number}.diff`),
  }
}

/** The repository that tests link to the project `general`. */
export const app = forgeRepository('app')

export const diffHeaders = { 'Content-Type': 'application/vnd.github.diff; charset=utf-8' }
