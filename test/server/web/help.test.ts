import { readdirSync } from 'node:fs'
import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const visitor = new ScriptlessBrowser(workroom)

/** Every page that links lead to from the first one, by its path. */
async function walk(browser: ScriptlessBrowser): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const next = ['/help']
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (found.has(path)) continue
    const { status, text } = await browser.open(path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    found.set(path, text)
    for (const [, to] of text.matchAll(/href="(\/help[^"#]*)/g)) next.push(to!)
  }
  return found
}

t.test(
  'links lead from the first page of the documentation to every other, without signing in',
  async (t) => {
    const pages = await walk(visitor)
    const files = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.md$/.test(name),
    )
    const ofTexts = [...pages.keys()].filter((path) => !/^\/help\/api(?:\/|$)/.test(path))
    // The README is the first page, and CONTRIBUTING is one of the others.
    t.equal(ofTexts.length, files.length + 2)
    t.match(pages.get('/help/operations'), /<h1>Operations<\/h1>[\s\S]*<h2 id="settings"|<h3 id="settings"/)
    t.match(pages.get('/help/decisions/0002-journal-is-a-table'), 'journal row')
    for (const [path, text] of pages) {
      t.notMatch(text, /class="dead"/, `${path} has no dead link`)
      t.notMatch(text, /href="[^"]*\.md(?:#|")/, `${path} links to pages, not files`)
    }
  },
)

t.test('a link to a section of another page leads to its heading', async (t) => {
  const pages = await walk(visitor)
  for (const [path, text] of pages) {
    for (const [, to, anchor] of text.matchAll(/href="(\/help[^"#]*)?#([^"]+)"/g)) {
      if (anchor === 'main') continue
      t.match(pages.get(to ?? path), `id="${anchor}"`, `${path} → ${to ?? ''}#${anchor}`)
    }
  }
})

t.test(
  'the pages on the interface show every described request, with its models and its examples',
  async (t) => {
    const pages = [...(await walk(visitor))].filter(([path]) => path.startsWith('/help/api'))
    const shown = pages.map(([, text]) => text).join('')
    const { json } = await workroom.request('GET', '/openapi.json', { key: undefined })
    for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(json.paths)) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        t.match(shown, `<section id="${operationId}"`, operationId)
        t.match(shown, `#${operationId}"><code>${method.toUpperCase()} ${path}</code>`, operationId)
      }
    }
    t.match(shown, '<section id="Message"')
    t.match(shown, '<a href="/help/api/models#Message">Message</a>[]')
    t.match(shown, '&quot;body&quot;: &quot;@[Helper](mem_')
  },
)

t.test('signed-in members read the documentation within their workspace', async (t) => {
  const browser = await new ScriptlessBrowser(workroom).signIn(workroom.owner.key)
  const { text } = await browser.open('/help/webhooks')
  t.match(text, /id="navigation"[\s\S]*<a href="\/help" aria-current="page">[\s\S]*<h1>Webhooks<\/h1>/)
})

t.test('a page that the documentation does not have answers 404', async (t) => {
  for (const path of ['/help/nothing', '/help/../package.json', '/help/%2e%2e%2fpackage'])
    t.equal((await visitor.open(path)).status === 200, false, path)
})
