import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import t from 'tap'
import { samplePages } from '../../support/sample-pages.ts'
import { openSample } from '../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const maxBytes = 100_000
const maxHomeBytes = 45_000

const sample = await openSample(t)

interface Asset {
  bytes: number
  /** The modules it loads at once. */
  imports: string[]
  /** The modules it loads for pages of one kind, by kind. */
  kinds: Map<string, string>
}

const assets = new Map<string, Promise<Asset>>()

async function read(path: string): Promise<Asset> {
  const url = sample.url + path
  const [plain, compressed] = await Promise.all([
    fetch(url).then((response) => response.text()),
    fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': 'br' } }),
  ])
  const at = (name: string) => `/assets/${name}`
  const imports = [...plain.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g)].map(([, name]) => at(name!))
  const kinds = [...plain.matchAll(/"?([\w-]+)"?:\(\)=>import\("\.\/([\w-]+\.js)"\)/g)].map(
    ([, kind, file]) => [kind!, at(file!)] as const,
  )
  return { bytes: Number(compressed.headers.get('content-length')), imports, kinds: new Map(kinds) }
}

const kindOf = (page: string): string => /<html [^>]*data-page-kind="([\w-]+)"/.exec(page)?.[1] ?? ''

/** The bytes that a first visit to a page transfers: bodies alone, compressed. */
async function weightOf(page: string): Promise<number> {
  const paths = [
    ...page.matchAll(/<(?:link rel="(?:icon|manifest|stylesheet)" href|script [^>]*src)="([^"]+)"/g),
  ]
  const kind = kindOf(page)
  const waiting = paths.map(([, path]) => path!)
  const seen = new Set<string>()
  let bytes = brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const reading = assets.get(path) ?? read(path)
    assets.set(path, reading)
    const asset = await reading
    bytes += asset.bytes
    waiting.push(...asset.imports)
    const ofKind = asset.kinds.get(kind)
    if (ofKind !== undefined) waiting.push(ofKind)
  }
  return bytes
}

t.test(
  'a first visit to a page transfers less than 100 kB, compressed, and to the home page less than 45 kB',
  async (t) => {
    const readers = new Map<string | null, ScriptlessBrowser>([[null, new ScriptlessBrowser(sample)]])
    const kinds = new Set<string>()
    for (const { name, path, as = 'ada' } of samplePages(sample)) {
      const reader = readers.get(as) ?? (await new ScriptlessBrowser(sample).signIn(sample.people[as!].key))
      readers.set(as, reader)
      const { headers, text: answered } = await reader.open(path)
      const { text } = headers.location ? await reader.open(headers.location) : { text: answered }
      kinds.add(kindOf(text))
      if (kindOf(text) === 'editor') continue
      const bytes = await weightOf(text)
      const limit = name === 'home' ? maxHomeBytes : maxBytes
      t.ok(bytes > 10_000 && bytes < limit, `${name}: ${bytes} bytes`)
    }
    const scripts = readdirSync('server/client/pages').map((file) => basename(file, '.ts'))
    t.strictSame([...kinds].sort(), ['', ...scripts.sort()], 'pages of every kind are visited')
    const isCounted = (kind: string) => [...assets.keys()].some((path) => path.startsWith(`/assets/${kind}-`))
    t.strictSame(
      scripts.filter((kind) => !isCounted(kind)),
      ['editor'],
      'the scripts of kinds are counted',
    )
  },
)
