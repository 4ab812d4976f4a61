import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'

/** Tests are run from the top of the repository. */
const repository = resolve('.')

const layers = ['data', 'core', 'server', 'bin'] as const

interface Import {
  /** Paths within the repository. */
  from: string
  to: string
}

const files = layers.flatMap((layer) =>
  readdirSync(join(repository, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(layer, name)),
)

/** All imports of our own files, of values and of types alike. */
const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(repository, from), 'utf8')
  const names = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(([, name]) => name!)
  const folder = dirname(join(repository, from))
  return names.map((name) => ({ from, to: relative(repository, resolve(folder, name)) }))
})

const layerOf = (path: string): number => layers.findIndex((layer) => path.startsWith(`${layer}/`))

/** A folder is a part of those that it lies in: what goes to and fro within one of them is its own affair. */
const isWithin = (one: string, other: string): boolean => one === other || one.startsWith(`${other}/`)

/** The folders that each folder of core imports from. */
function folderGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    if (!from.startsWith('core/') || !to.startsWith('core/')) continue
    const [one, other] = [dirname(from), dirname(to)]
    // A file of the top folder is a part of its own.
    const [importing, imported] = [one === 'core' ? from : one, other === 'core' ? to : other]
    if (isWithin(importing, imported) || isWithin(imported, importing)) continue
    if (!graph.has(importing)) graph.set(importing, new Set())
    graph.get(importing)!.add(imported)
  }
  return graph
}

/** @returns the folders along the first cycle that is found; null where there is none */
function cycleIn(graph: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>()
  const visit = (folder: string, path: string[]): string[] | null => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder]
    if (done.has(folder)) return null
    for (const next of graph.get(folder) ?? []) {
      const cycle = visit(next, [...path, folder])
      if (cycle) return cycle
    }
    done.add(folder)
    return null
  }
  for (const folder of graph.keys()) {
    const cycle = visit(folder, [])
    if (cycle) return cycle
  }
  return null
}

t.test('a layer imports from itself and from those below it alone', async (t) => {
  const upward = imports.filter(({ from, to }) => layerOf(to) > layerOf(from))
  t.strictSame(upward, [])
  t.ok(
    imports.some(({ from, to }) => layerOf(from) === 2 && layerOf(to) === 1),
    'imports are found',
  )
})

t.test('no folders of core import each other, neither values nor types, by whatever way round', async (t) => {
  const graph = folderGraph()
  t.equal(cycleIn(graph)?.join(' → ') ?? null, null)
  t.ok(graph.size > 30, 'folders are found')
  t.equal(
    cycleIn(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['a'])],
      ]),
    )?.join(' → '),
    'a → b → a',
  )
})

/** The code of a file without its comments. */
const codeOf = (file: string): string =>
  readFileSync(join(repository, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/ .*$/gm, '$1')

/** Headers that the server answers with or asks for; a program that core calls is sent headers as well. */
const headers =
  /['"`\s](?:Accept-Encoding|Allow['"`]|Authorization|Cache-Control|Content-Type|ETag|If-(?:None-)?Match|Retry-After|Set-Cookie|WWW-Authenticate|X-Service-\w+)/
const requests = /\b(?:GET|POST|PUT|PATCH|DELETE) (?:\/|\$\{)/
const libraries = /from '(?:koa|@koa\/[^']+|koa-[^']+|node:http)'/

/** What speaks HTTP to others: it calls agents, forges and pages. */
const callers = /^core\/(?:webhooks|pulls|previews)\//

/** What is written for readers who then send requests: pages of the tree, messages, and the names of metrics. */
const texts = new Set([
  'core/asks/announcements.ts',
  'core/asks/asks-page.ts',
  'core/inbox/mentions-page.ts',
  'core/inbox/unreached.ts',
  'core/orientation/example-requests.ts',
  'core/orientation/introduction.ts',
  'core/orientation/orientation-page.ts',
  'core/orientation/reference.ts',
  'core/projects/welcome.ts',
  'core/rooms/transcript.ts',
  'core/usage/usage-page.ts',
  'core/webhooks/webhook-health.ts',
  'core/workspace/metrics.ts',
])

t.test('core knows no header, no request and no library of HTTP', async (t) => {
  const core = files.filter((file) => file.startsWith('core/'))
  const naming = (pattern: RegExp, exempt: (file: string) => boolean) =>
    core.filter((file) => !exempt(file) && pattern.test(codeOf(file)))
  const isText = (file: string) => texts.has(file)
  t.strictSame(
    naming(headers, (file) => callers.test(file) || isText(file)),
    [],
  )
  t.strictSame(naming(requests, isText), [])
  t.strictSame(
    naming(libraries, () => false),
    [],
  )
  const needless = [...texts].filter((file) => !headers.test(codeOf(file)) && !requests.test(codeOf(file)))
  t.strictSame(needless, [], 'every exemption is needed')
  t.match(codeOf('server/error-response.ts'), headers, 'headers are found')
})

t.test('the paths of the tree and of the pages are spelled in one file', async (t) => {
  const path = /`(?:\/v1\/fs)?\/projects\/\$\{/
  const spelling = files.filter((file) => !file.startsWith('server/web/client/') && path.test(codeOf(file)))
  t.strictSame(spelling, [])
  t.match(codeOf('core/paths.ts'), "'/projects'")
})

t.test('no line of the pages and their scripts and styles is over 140 characters long', async (t) => {
  const files = readdirSync(join(repository, 'server/web'), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((name) => /\.(?:ts|css)$/.test(name)).map((name) => join('server/web', name))
  const long = sources.flatMap((file) =>
    readFileSync(join(repository, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > 140 ? [`${file}:${index + 1}`] : [])),
  )
  t.ok(sources.length > 200, 'files are found')
  t.strictSame(long, [])
})
