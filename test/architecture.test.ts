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

/** Which files each file imports from, or each part of a layer. */
function graphOf(arrows: readonly Import[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of arrows) {
    if (from === to) continue
    if (!graph.has(from)) graph.set(from, new Set())
    graph.get(from)!.add(to)
  }
  return graph
}

/** The folder of a file; a file at the top of a layer is a part of its own. */
const partOf = (file: string): string => (dirname(file).includes('/') ? dirname(file) : file)

const isIn = (layer: string, { from, to }: Import): boolean =>
  from.startsWith(`${layer}/`) && to.startsWith(`${layer}/`)

/** @returns what is along the first cycle that is found; null where there is none */
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

t.test('a layer imports from itself and from those below it alone', async (t) => {
  const upward = imports.filter(({ from, to }) => layerOf(to) > layerOf(from))
  t.strictSame(upward, [])
  t.ok(
    imports.some(({ from, to }) => layerOf(from) === 2 && layerOf(to) === 1),
    'imports are found',
  )
})

t.test('no files import each other, neither values nor types, by whatever way round', async (t) => {
  for (const layer of ['core', 'data', 'server']) {
    const graph = graphOf(imports.filter((arrow) => isIn(layer, arrow)))
    t.equal(cycleIn(graph)?.join(' → ') ?? null, null)
    t.ok(graph.size > 30, `files of ${layer} are found`)
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

t.test('no folders of core or data import each other, nor those that they lie in', async (t) => {
  const arrows = imports.map(({ from, to }) => ({ from: partOf(from), to: partOf(to) }))
  for (const layer of ['core', 'data']) {
    const graph = graphOf(arrows.filter((arrow) => isIn(layer, arrow)))
    t.equal(cycleIn(graph)?.join(' → ') ?? null, null)
  }
  t.ok(graphOf(arrows.filter((arrow) => isIn('core', arrow))).size > 30, 'folders are found')
})

t.test('what requests pass through first imports none of what answers them', async (t) => {
  const middleware = imports.filter(({ from }) => from.startsWith('server/middleware/'))
  const isElsewhere = (to: string) => /^server\/.+\//.test(to) && !to.startsWith('server/middleware/')
  t.strictSame(
    middleware.filter(({ to }) => isElsewhere(to)),
    [],
  )
  t.ok(middleware.some(({ to }) => to === 'server/context.ts'))
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
  'core/orientation/wording.ts',
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

t.test('the server is given at most 25 services and groups of services', async (t) => {
  const types = codeOf('core/workspace/types.ts')
  const [, body] = /^export interface Workspace \{\n([\s\S]*?)^\}/m.exec(types)!
  const members = body!.match(/^ {2}(?:readonly )?\w+(?=[?:(<])/gm)!
  t.ok(members.length > 10, 'members are found')
  t.ok(members.length <= 25, `${members.length} members`)
})

/** Splits code as the formatter leaves it: each part ends before the next line that begins in its column. */
const partsOf = (code: string, indent = ''): string[] =>
  code.split(new RegExp(`\\n(?=${indent}[^\\s)}\\]])`)).map((part) => part.trimEnd())

/** The functions, methods and constants of a file. */
const functionsOf = (file: string): string[] =>
  partsOf(codeOf(file))
    .flatMap((part) => (/^(?:export )?(?:abstract )?class /.test(part) ? partsOf(part, '  ') : [part]))
    .filter((part) => !/^(?:import|(?:export )?(?:interface|type)) /.test(part))

t.test('what opens a workspace and its documents is in functions of less than 60 lines', async (t) => {
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

/** What is loaded by its name, and what a thread calls there. */
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

/** The names that a file imports, each after the path of its module; `*` for a whole module. */
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

t.test('what is exported is imported elsewhere', async (t) => {
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
  t.ok(imported.size > 1000, 'imports are found')
  for (const [file, name] of entryPoints) t.ok(exportsOf(file).includes(name), `${file} is there`)
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
