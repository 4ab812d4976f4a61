import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'

/** Tests run in the top folder of the repository. */
const repository = resolve('.')

const layers = ['data', 'core', 'server', 'bin'] as const

interface Import {
  /** A path in the repository, as `to` is. */
  from: string
  to: string
}

const files = layers.flatMap((layer) =>
  readdirSync(join(repository, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(layer, name)),
)

/** All imports of our own files, of values and of types. */
const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(repository, from), 'utf8')
  const names = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(([, name]) => name!)
  const folder = dirname(join(repository, from))
  return names.map((name) => ({ from, to: relative(repository, resolve(folder, name)) }))
})

const layerOf = (path: string): number => layers.findIndex((layer) => path.startsWith(`${layer}/`))

/** The imported files by importing file, or the same for parts of a layer. */
function graphOf(arrows: readonly Import[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of arrows) {
    if (from === to) continue
    if (!graph.has(from)) graph.set(from, new Set())
    graph.get(from)!.add(to)
  }
  return graph
}

/** The folder of a file, or the file itself at the top of a layer. */
const partOf = (file: string): string => (dirname(file).includes('/') ? dirname(file) : file)

const isIn = (layer: string, { from, to }: Import): boolean =>
  from.startsWith(`${layer}/`) && to.startsWith(`${layer}/`)

/** @returns the nodes of the first cycle; null if there is none */
function cycleIn(graph: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>()
  const visit = (place: string, path: string[]): string[] | null => {
    if (path.includes(place)) return [...path.slice(path.indexOf(place)), place]
    if (done.has(place)) return null
    for (const next of graph.get(place) ?? []) {
      const cycle = visit(next, [...path, place])
      if (cycle) return cycle
    }
    done.add(place)
    return null
  }
  for (const place of graph.keys()) {
    const cycle = visit(place, [])
    if (cycle) return cycle
  }
  return null
}

t.test('a layer imports only from itself and lower layers', async (t) => {
  const upward = imports.filter(({ from, to }) => layerOf(to) > layerOf(from))
  t.strictSame(upward, [])
  t.ok(
    imports.some(({ from, to }) => layerOf(from) === 2 && layerOf(to) === 1),
    'the test finds imports',
  )
})

t.test('imports of values and types form no cycle of files', async (t) => {
  for (const layer of ['core', 'data', 'server']) {
    const graph = graphOf(imports.filter((arrow) => isIn(layer, arrow)))
    t.equal(cycleIn(graph)?.join(' → ') ?? null, null)
    t.ok(graph.size > 30, `the test finds files of ${layer}`)
  }
  t.equal(
    cycleIn(
      graphOf([
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ]),
    )?.join(' → '),
    'a → b → a',
  )
})

t.test('imports form no cycle of folders in core or data, parent folders included', async (t) => {
  const arrows = imports.map(({ from, to }) => ({ from: partOf(from), to: partOf(to) }))
  for (const layer of ['core', 'data']) {
    const graph = graphOf(arrows.filter((arrow) => isIn(layer, arrow)))
    t.equal(cycleIn(graph)?.join(' → ') ?? null, null)
  }
  t.ok(graphOf(arrows.filter((arrow) => isIn('core', arrow))).size > 30, 'the test finds folders')
})

t.test('middleware imports no other folder of the server', async (t) => {
  const middleware = imports.filter(({ from }) => from.startsWith('server/middleware/'))
  const isElsewhere = (to: string) => /^server\/.+\//.test(to) && !to.startsWith('server/middleware/')
  t.strictSame(
    middleware.filter(({ to }) => isElsewhere(to)),
    [],
  )
  t.ok(middleware.some(({ to }) => to === 'server/context.ts'))
})

/** What pages and the browser's program share: it is beside the program, which cannot use the server's types. */
const sharedWithPages = ['server/client/editor/editor-details.ts', 'server/client/page-kind.ts']

t.test("the browser's program imports only itself and the protocol of live texts", async (t) => {
  const isProgram = (file: string) => file.startsWith('server/client/')
  const outward = imports.filter(({ from, to }) => isProgram(from) && !isProgram(to))
  t.strictSame([...new Set(outward.map(({ to }) => to))], ['core/live/protocol.ts'])
  const inward = imports.filter(({ from, to }) => !isProgram(from) && isProgram(to))
  t.strictSame([...new Set(inward.map(({ to }) => to))].sort(), sharedWithPages)
})

/** The code of a file without its comments. */
const codeOf = (file: string): string =>
  readFileSync(join(repository, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/ .*$/gm, '$1')

/** Headers of our requests and responses. */
const headers =
  /['"`\s](?:Accept-Encoding|Allow['"`]|Authorization|Cache-Control|Content-Type|ETag|If-(?:None-)?Match|Retry-After|Set-Cookie|WWW-Authenticate|X-Service-\w+)/
const requests = /\b(?:GET|POST|PUT|PATCH|DELETE) (?:\/|\$\{)/
const libraries = /from '(?:koa|@koa\/[^']+|koa-[^']+|node:http)'/

/** Clients of agents, forges and other sites, whose requests have headers, too. */
const callers = /^core\/(?:webhooks|pulls|previews)\//

/** Files with texts that name requests for their readers, such as generated pages and messages. */
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

t.test('core contains no HTTP headers, requests or libraries', async (t) => {
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
  t.strictSame(needless, [], 'every exception is needed')
  t.match(codeOf('server/error-response.ts'), headers, 'the test finds headers')
})

t.test('a workspace has at most 25 services and groups of services', async (t) => {
  const types = codeOf('core/workspace/types.ts')
  const [, body] = /^export interface Workspace \{\n([\s\S]*?)^\}/m.exec(types)!
  const members = body!.match(/^ {2}(?:readonly )?\w+(?=[?:(<])/gm)!
  t.ok(members.length > 10, 'the test finds members')
  t.ok(members.length <= 25, `${members.length} members`)
})

/** Splits formatted code before each line that begins at the indent. */
const partsOf = (code: string, indent = ''): string[] =>
  code.split(new RegExp(`\\n(?=${indent}[^\\s)}\\]])`)).map((part) => part.trimEnd())

/** The functions, methods and constants of a file. */
const functionsOf = (file: string): string[] =>
  partsOf(codeOf(file))
    .flatMap((part) => (/^(?:export )?(?:abstract )?class /.test(part) ? partsOf(part, '  ') : [part]))
    .filter((part) => !/^(?:import|(?:export )?(?:interface|type)) /.test(part))

t.test('functions that open a workspace and its documents have less than 60 lines', async (t) => {
  const openers = files.filter((file) => file.startsWith('core/workspace/'))
  const functions = [...openers, 'core/documents/index.ts'].flatMap(functionsOf)
  t.ok(
    functions.some((text) => text.startsWith('export function openContent(') && text.split('\n').length > 20),
  )
  t.strictSame(
    functions.filter((text) => text.split('\n').length >= 60),
    [],
  )
})

/** Modules that threads load by name, with the function that they call. */
const entryPoints = new Map([
  ['core/markdown/worker.ts', 'runTask'],
  ['core/markdown/html/html-worker.ts', 'runTask'],
  ['core/markdown/differences-worker.ts', 'runTask'],
  ['core/markdown/diagrams-worker.ts', 'runTask'],
])

const namesIn = (list: string): string[] =>
  list.split(',').flatMap((entry) => entry.trim().replace(/^type /, '') || [])

function exportsOf(file: string): string[] {
  const code = codeOf(file)
  const declared = code.matchAll(
    /^export (?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm,
  )
  const listed = code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  return [
    ...[...declared].map(([, name]) => name!),
    ...[...listed].flatMap(([, list]) => namesIn(list!).map((name) => name.split(' as ').at(-1)!)),
  ]
}

/** The imports of a file, each as module path and name, with `*` for a whole module. */
function importedBy(file: string): string[] {
  const code = codeOf(file)
  const pathOf = (module: string) => relative(repository, resolve(dirname(join(repository, file)), module))
  const listed = code.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)
  const whole = code.matchAll(/(?:^(?:import|export) (?:type )?\*(?: as \w+)? from |\bimport\()'(\.[^']+)'/gm)
  return [
    ...[...listed].flatMap(([, list, module]) =>
      namesIn(list!).map((name) => `${pathOf(module!)} ${name.split(' as ')[0]}`),
    ),
    ...[...whole].map(([, module]) => `${pathOf(module!)} *`),
  ]
}

t.test('every export is imported somewhere', async (t) => {
  const tests = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('test', name))
  const imported = new Set([...files, ...tests].flatMap(importedBy))
  const isImported = (file: string, name: string) =>
    imported.has(`${file} ${name}`) || imported.has(`${file} *`) || entryPoints.get(file) === name
  const idle = files.flatMap((file) =>
    exportsOf(file)
      .filter((name) => !isImported(file, name))
      .map((name) => `${file}: ${name}`),
  )
  t.strictSame(idle, [])
  t.ok(imported.size > 1000, 'the test finds imports')
  for (const [file, name] of entryPoints) t.ok(exportsOf(file).includes(name), `${file} exports ${name}`)
})

t.test('only one file spells the paths of the tree and of pages', async (t) => {
  const path = /`(?:\/v1\/fs)?\/projects\/\$\{/
  const spelling = files.filter((file) => !file.startsWith('server/client/') && path.test(codeOf(file)))
  t.strictSame(spelling, [])
  t.match(codeOf('core/paths.ts'), "'/projects'")
})

t.test('lines of pages, scripts and styles have at most 140 characters', async (t) => {
  const sources = ['server/client', 'server/web'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|css)$/.test(name))
      .map((name) => join(folder, name)),
  )
  const long = sources.flatMap((file) =>
    readFileSync(join(repository, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > 140 ? [`${file}:${index + 1}`] : [])),
  )
  t.ok(sources.length > 200, 'the test finds files')
  t.strictSame(long, [])
})
