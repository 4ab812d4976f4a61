import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { defaultConfig } from '../../core/config.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import { endpointsOfApp } from '../support/app-endpoints.ts'
import { makeRepository } from '../support/code-repository.ts'
import type { HttpResponse } from '../support/http-client.ts'
import { startWorkroom } from '../support/workroom.ts'

/** The forge's only pull request; the forge is the only host that answers. */
const pull = {
  number: 7,
  title: 'Fix the login',
  state: 'open',
  draft: false,
  merged_at: null,
  head: { ref: 'fix-login', sha: 'a'.repeat(40) },
  base: { ref: 'main', sha: 'b'.repeat(40) },
  user: { login: 'grace' },
  body: null,
  html_url: 'https://forge.example/team/app/pulls/7',
  updated_at: '2026-06-18T10:00:00Z',
}
const outbound: Outbound = {
  checkUrl: async () => null,
  async request({ url, headers = {} }) {
    const isDiff = Object.values(headers).some((value) => String(value).includes('diff'))
    const found = isDiff ? 'diff --git a/a b/a\n' : JSON.stringify(/pulls\/7$/.test(url) ? pull : [pull])
    const type = isDiff ? 'application/vnd.github.diff' : 'application/json'
    return {
      kind: 'response',
      status: 200,
      headers: { 'content-type': type },
      body: Buffer.from(found),
      isTruncated: false,
    }
  },
}

const roots = join(t.testdirName, 'code')
const workroom = await startWorkroom(t, {
  config: { ...defaultConfig, repositories: { roots: [roots] } },
  prepare: () => void mkdirSync(roots),
  faults: { outbound },
})
const { owner, request, url, workspace } = workroom
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
const tree = '/v1/fs/projects/general'

/** Creates one of everything that a workspace can hold, as the owner and as the agent. */
async function furnish(): Promise<void> {
  const made = async (method: string, path: string, body: unknown, key = owner.key) => {
    const response = await request(method, path, { key, body })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
    return response.json
  }
  await made('POST', '/api/rooms/general/join', {}, bot.key)
  await made('POST', '/api/rooms/general/messages', { body: `@[Bot](${bot.member.id}) welcome` })
  const file = await made('POST', '/api/rooms/general/attachments?name=plan.txt', 'Plan')
  await made('POST', '/api/rooms/general/messages', { body: `[plan.txt](${file.path})` })
  await made('PUT', `${tree}/posts/hello.md`, '# Hello\n\nDear @Bot, welcome.\n')
  await made('PUT', `${tree}/drafts/next.md`, '# Next\n\nSee [[Guide]].\n', bot.key)
  await made('POST', `${tree}/drafts/next.md/attachments?name=notes.txt`, 'Notes', bot.key)
  await made('PUT', `${tree}/posts/news.md`, '# News\n', bot.key)
  await made('POST', `${tree}/posts/news.md/attachments?name=notes.txt`, 'Notes', bot.key)
  await made('PUT', `${tree}/docs/guides/guide.md`, '# Guide\n\nSteps.\n')
  await made('PUT', `${tree}/board/02-todo/fix.md`, '# Fix the login\n')
  await made('POST', `${tree}/library/files?name=numbers.csv`, 'a,b\n')
  await made('PUT', `${tree}/docs/old.md`, '# Old\n')
  await made('DELETE', `${tree}/docs/old.md`, undefined)
  await made('POST', '/api/asks', { project: 'general', title: 'Sort the notes' })
  const skill = { project: 'general', name: 'tidy', expectedVersion: 0 }
  const files = {
    'SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\n\n# Tidy\n',
    'more/list.md': '- a\n',
  }
  await made('POST', '/v1/skills', { ...skill, files, expectedDraftRevision: 0 })
  await made('POST', '/v1/skills/publish', { ...skill, expectedDraftRevision: 1 })
  const { path: source } = makeRepository(join(roots, 'app.git'), { 'README.md': '# App\n', 'src/a.ts': 'a' })
  const forge = { api: 'https://forge.example/api/v1', owner: 'team', name: 'app', token: 'secret' }
  await made('POST', '/v1/projects/general/repositories', { dir: 'app', source, forge })
}

/** Whether a path answers as a file with neighbours, that is, with a revision and a URL of its own. */
const hasParts = ({ headers }: HttpResponse) =>
  headers.etag !== undefined && headers['x-service-url'] !== undefined

/** Returns the paths in an answer: in JSON the path fields, in text those in backticks, links and commands. */
function namedIn(path: string, { headers, json, text }: HttpResponse): string[] {
  if (String(headers['content-type']).startsWith('application/json')) return addressesIn(json, path)
  if (!String(headers['content-type']).startsWith('text/markdown')) return []
  const quoted = [...text.matchAll(/`(?:GET )?(\/v1\/[^`\s<>…]+)`/g)].map(([, named]) => named!)
  const linked = [...text.matchAll(/\]\((\/v1\/[^)\s]+)\)/g)].map(([, named]) => named!)
  const commands = [...text.matchAll(/^wr [^\n]*$/gm)].map(([command]) => command)
  const reads = commands.filter((command) => !/ -(?:X|d|I) /.test(command) && !command.includes('$('))
  return [...quoted, ...linked, ...reads.flatMap((command) => /"\$url(\/[^"$]+)"$/.exec(command)?.[1] ?? [])]
}

/** @param folder what relative paths, such as those of a repository's entries, start from */
function addressesIn(value: unknown, folder: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== 'string') return addressesIn(inner, folder)
    if (name === 'downloadUrl') return [inner.slice(url.length)]
    if (name !== 'path' && name !== 'canonical') return []
    return [inner.startsWith('/') ? inner : `${folder}/${inner.split('/').map(encodeURIComponent).join('/')}`]
  })
}

/** Returns the neighbours of a file that the help names: `<path>/_revisions`, attachments and views. */
function neighboursFrom(orientation: string): (path: string) => string[] {
  const suffixes = [...orientation.matchAll(/`<path>(\/\w+)`/g)].map(([, suffix]) => suffix!)
  const views = [...orientation.matchAll(/`(\?view=\w+)`/g)].map(([, view]) => view!)
  const within = [...orientation.matchAll(/`(\w+)\/<file>(\/\w+)`/g)].map(([, folder, suffix]) => ({
    folder,
    suffix,
  }))
  return (path) => [
    ...[...suffixes, ...views].map((suffix) => path + suffix),
    ...within
      .filter(({ folder }) => path.startsWith(`${tree}/${folder}/`))
      .map(({ suffix }) => path + suffix),
  ]
}

/** Reads every path that is named, starting from the first page. */
async function walk(key: string): Promise<Map<string, HttpResponse>> {
  const read = new Map<string, HttpResponse>()
  const ahead = ['/v1/fs']
  const { text: folders } = await request('GET', '/v1/fs/help/folders.md', { key })
  const neighboursOf = neighboursFrom(folders)
  for (let path = ahead.shift(); path !== undefined; path = ahead.shift()) {
    if (read.has(path) || path.startsWith('/v1/events')) continue
    const response = await request('GET', path, path.startsWith('/download/') ? { key: undefined } : { key })
    read.set(path, response)
    ahead.push(...namedIn(path, response))
    if (hasParts(response) && !path.includes('?') && /\/(?:posts|drafts|docs|documents|board)\//.test(path)) {
      ahead.push(...neighboursOf(path))
    }
  }
  return read
}

/** Returns a pattern that matches the paths of a route. */
function matcher(route: string): RegExp {
  const pattern = route.replace(/\*\w+/g, '.+').replace(/:\w+/g, '[^/]+').replaceAll('.md', '\\.md')
  return new RegExp(`^${pattern}$`)
}

/** Runs the commands of the first page and of the help pages, in their order. */
async function paste(key: string): Promise<void> {
  const paths = ['/v1/fs', '/v1/fs/help/requests.md', '/v1/fs/help/rooms.md']
  const pages = await Promise.all(paths.map((path) => request('GET', path, { key })))
  const text = pages.map((page) => page.text).join('\n')
  const scripts = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => script)
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', scripts.join('\n')], {
    env: { ...process.env, WORKROOM_KEY: key },
  })
}

await furnish()

t.test('from the first page alone an agent finds every kind of resource', async (t) => {
  await paste(bot.key)
  const read = await walk(bot.key)
  for (const [path, { status, headers, text }] of read) {
    const isCall = status === 405 && headers.allow === 'POST'
    t.ok(isCall || status === 200, `${path} ${status === 200 ? '' : text}`)
  }
  const routes = endpointsOfApp(workspace).filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/fs'),
  )
  const paths = [...read.keys()].map((path) => path.split('?')[0]!)
  const unseen = routes
    .map(({ path }) => path)
    .filter((route) => !paths.some((path) => matcher(route).test(path)))
  // Other names of folders that were read, and pages for owners and admins.
  const others = ['/artifacts', '/library/documents/', '/docs', 'README.md', 'audit/usage.md']
  t.same(
    unseen.filter((route) => !others.some((other) => route.includes(other))),
    [],
  )
  t.ok(
    [...read.keys()].some((path) => path.startsWith('/download/')),
    'a signed link is among them',
  )
})

t.test('an owner finds the usage page in the same way', async (t) => {
  const read = await walk(owner.key)
  t.equal(read.get('/v1/fs/audit/usage.md')?.status, 200)
})
