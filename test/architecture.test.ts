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
