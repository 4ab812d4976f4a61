import { brotliCompressSync } from 'node:zlib'
import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const browser = await new ScriptlessBrowser(workroom).signIn(workroom.owner.key)

const excepted = /^(?:(?:form-)?edit(?:or|ing)|passkeys)-/

/** The assets that pages load at once or later, except for the editor and for adding a passkey. */
async function loadedWithoutEditor(): Promise<Map<string, string>> {
  const { text: page } = await browser.open('/')
  const waiting = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  const loaded = new Map<string, string>()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue
    const { status, text } = await browser.open(path)
    t.equal(status, 200, path)
    loaded.set(path, text)
    const named = [...text.matchAll(/"\.\/([\w-]+\.js)"/g)].map(([, name]) => name!)
    waiting.push(...named.filter((name) => !excepted.test(name)).map((name) => `/assets/${name}`))
  }
  return loaded
}

t.test('everything that pages load without the editor is less than 100 kB, compressed', async (t) => {
  const loaded = await loadedWithoutEditor()
  t.ok(loaded.size > 5, `${loaded.size} files`)
  t.ok(
    [...loaded.keys()].some((path) => path.includes('/frontmatter-')),
    'the module that changes cards in place is counted',
  )
  const bytes = [...loaded.values()].reduce((total, text) => total + brotliCompressSync(text).length, 0)
  t.ok(bytes < 100_000, `${bytes} bytes`)
  t.notOk(
    [...loaded.values()].some((text) => text.includes('cm-content')),
    'the editor is not loaded',
  )
})

/** 149 kB before live texts, and at most 20 kB more for them. */
t.test('a page with the editor is less than 169 kB, compressed', async (t) => {
  const { text: page } = await browser.open('/')
  const waiting = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  const loaded = new Map<string, string>()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue
    const { text } = await browser.open(path)
    loaded.set(path, text)
    // Static imports and the editor, but not what the editor itself imports on demand.
    const named = [...text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)].map(([, name]) => name!)
    waiting.push(...named.map((name) => `/assets/${name}`))
    const editor = /import\("\.\/(editor-[\w-]+\.js)"\)/.exec(text)?.[1]
    if (editor !== undefined) waiting.push(`/assets/${editor}`)
  }
  t.ok([...loaded.values()].some((text) => text.includes('cm-content')))
  const bytes = [...loaded.values()].reduce((total, text) => total + brotliCompressSync(text).length, 0)
  t.ok(bytes < 169_000, `${bytes} bytes`)
})

t.test('assets are compressed for clients that accept it, and can be cached for ever', async (t) => {
  const { text: page } = await browser.open('/')
  const [, path] = /<script type="module" src="([^"]+)"/.exec(page)!
  const plain = await browser.open(path!)
  t.match(plain.headers, { 'content-type': /javascript/, vary: 'Accept-Encoding' })
  t.notOk('content-encoding' in plain.headers)
  const response = await fetch(`${workroom.url}${path}`, { headers: { 'Accept-Encoding': 'br' } })
  t.equal(response.headers.get('content-encoding'), 'br')
  t.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  t.equal(await response.text(), plain.text)
})
