import t from 'tap'
import { openProjectFolder } from '../../support/project-folder.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'

const workroom = await openProjectFolder(t, { faults: { markdown: sharedMarkdown(t) } })
const ada = await new ScriptlessBrowser(workroom).signIn(workroom.owner.key)
const tree = '/v1/fs/projects/general'

/** A section with much markup, which takes long to parse. */
const section = (number: number) =>
  `## Section ${number}\n\n### Notes\n\n${'Some *words*, [a link](https://example.org/a_b) and `code`. '.repeat(20)}\n\n- one\n- [x] two\n\nSee [the terms].\n`
const sections = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => section(from + place)).join('\n')
const terms = '[the terms]: https://example.org/terms'
const long = `# Long\n\n${sections(0, 800)}\n${terms}\n`
/** Long enough for more than two parts. */
const parted = `# Long\n\n${sections(0, 300)}\n${terms}\n`

const put = async (path: string, body: string) => {
  const { status, json } = await workroom.request('PUT', `${tree}/${path}`, { body })
  t.equal(status, 201)
  return new URL(json.url).pathname
}
const textOf = async (path: string): Promise<string> => {
  const { status, text } = await ada.open(path)
  t.equal(status, 200, path)
  return text
}
const countOf = (text: string) => Number(/data-count="(\d+)"/.exec(text)?.[1] ?? 1)

t.test('a document of more than a megabyte is shown in parts that link to one another', async (t) => {
  t.ok(long.length > 1_000_000)
  const page = await put('docs/long.md', long)
  const first = await textOf(page)
  t.match(first, /<h1 id="long"[^>]*>Long<\/h1>/)
  t.notMatch(first, 'takes too long to render')
  t.ok(first.length < 400_000, `${first.length} characters are small enough for one page`)
  const count = countOf(first)
  t.ok(count > 3)
  let found = ''
  for (let part = 1; part <= count; part++) {
    const text = await textOf(`${page}?part=${part}`)
    t.match(text, `Part ${part} of ${count}`)
    t.equal(/rel="prev"/.test(text), part > 1)
    t.equal(/rel="next"/.test(text), part < count)
    t.notMatch(text, 'takes too long to render', `part ${part}`)
    found += /id="prose"[\s\S]*?id="later-parts"/.exec(text)![0]
  }
  t.same(
    [...found.matchAll(/<h2 id="section-(\d+)"/g)].map(([, number]) => Number(number)),
    Array.from({ length: 800 }, (_, number) => number),
    'each section appears once, in order',
  )
  t.equal(new Set([...found.matchAll(/<h3 id="([^"]+)"/g)].map(([, id]) => id)).size, 800, 'ids differ')
  t.equal(found.match(/<a href="https:\/\/example\.org\/terms"/g)?.length, 800, 'links by definition work')
})

t.test('the address of a heading redirects to the part that holds it', async (t) => {
  const page = await put('docs/parted.md', parted)
  const count = countOf(await textOf(page))
  const { status, headers } = await ada.open(`${page}?find=section-299`)
  t.equal(status, 303)
  t.equal(headers.location, `${page}?part=${count}#section-299`)
  t.match(await textOf(`${page}?part=${count}`), 'id="section-299"')
  t.equal((await ada.open(`${page}?find=long`)).headers.location, `${page}#long`)
  t.equal((await ada.open(`${page}?find=nowhere`)).headers.location, page)
})

t.test('a part can be fetched alone, and a number above the last part answers the last', async (t) => {
  const page = await put('docs/parted.md', parted)
  const count = countOf(await textOf(page))
  const fragment = await textOf(`${page}?fragment=2`)
  t.match(
    fragment,
    new RegExp(`^<section class="prose part" id="part-2" data-part="2" data-count="${count}"`),
  )
  t.notMatch(fragment, '<main')
  t.match(await textOf(`${page}?fragment=999`), `id="part-${count}"`)
})

t.test('a short document is one page, and a request for a part of it answers all of it', async (t) => {
  const page = await put('docs/short.md', '# Short\n\nText.\n')
  const text = await textOf(`${page}?part=7`)
  t.match(text, '<p id="')
  t.notMatch(text, 'class="parts"')
})

t.test('an older revision is shown in parts of its own', async (t) => {
  await put('docs/parted.md', parted)
  const { headers } = await workroom.request('GET', `${tree}/docs/parted.md`)
  const revision = String(headers.etag).replaceAll('"', '')
  const page = await put('docs/parted.md', '# Long\n\nNow short.\n')
  const text = await textOf(`${page}?revision=${revision}`)
  t.match(text, `rel="next" href="${page}?revision=${revision}&amp;part=2"`)
  t.match(await textOf(`${page}?revision=${revision}&part=2`), 'Part 2 of')
})
