import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { anyFile, anyMarkdown } from '../../core/markdown/nasty-markdown.ts'
import fc from '../../support/seeded-properties.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const project = '/v1/fs/projects/general'

const put = (path: string, body: string) => request('PUT', path, { body })
const numRuns = 40

t.test('any accepted title can be read by the answer’s path, by its slug and by its id', async (t) => {
  const title = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
      fc.constantFrom(
        'CON',
        'nul',
        'a.b',
        '..',
        '2026-01-01 x',
        '12',
        '-x-',
        'ﬁ ǅ İ ß',
        'é',
        'a'.repeat(200),
        '漢'.repeat(150),
      ),
    )
    .map((text) =>
      Buffer.from(text)
        .toString()
        .replace(/[\0\r\n]/g, ' '),
    )
  await fc.assert(
    fc.asyncProperty(
      title,
      fc.constantFrom('docs', 'drafts', 'posts', 'board/todo'),
      async (title, folder) => {
        const written = await put(`${project}/${folder}/any-address-at-all.md`, `# ${title}\n`)
        if (written.status !== 201) return void t.equal(written.status, 422)
        const { path, filename, id } = written.json
        const stem = encodeURIComponent(filename.replace(/\.md$/, ''))
        for (const address of [path, `${project}/${folder}/${stem}`, `${project}/${folder}/${id}`]) {
          const { status, text } = await request('GET', address)
          if (status !== 200 || !text.includes(`\nid: ${id}\n`))
            throw new Error(`${address} answered ${status} ${text}`)
        }
        await request('DELETE', path)
      },
    ),
    { numRuns, seed: 1 },
  )
})

t.test('a file that is read and written back is changed: false, and the same bytes are stored', async (t) => {
  const file = fc.tuple(anyFile, anyMarkdown).map(([first, rest]) => `${first}\n\n${rest}`)
  let taken = 0
  await fc.assert(
    fc.asyncProperty(file, fc.constantFrom('docs', 'board/04-done'), async (body, folder) => {
      const written = await put(`${project}/${folder}/round-trip.md`, body)
      if (written.status !== 201) return void t.equal(written.status, 422)
      taken += 1
      const { path } = written.json
      const read = await request('GET', path)
      for (const again of [read.text, body]) {
        const { status, json, headers } = await put(path, again)
        if (status !== 201 || json.changed || headers.etag !== read.headers.etag)
          throw new Error(`${JSON.stringify(again)} answered ${status} ${JSON.stringify(json)}`)
      }
      await request('DELETE', path)
    }),
    { numRuns, seed: 2 },
  )
  t.ok(taken > numRuns / 4, 'not too many were refused')
})

t.test('a block write changes only that block’s bytes on the disk', async (t) => {
  const path = `${project}/docs/blocks.md`
  const onDisk = () => readFileSync(join(home, 'projects/general/documents/blocks.md'), 'utf8')
  let written = 0
  await fc.assert(
    fc.asyncProperty(anyMarkdown, fc.nat(), async (markdown, choice) => {
      const sent = await put(path, `# Blocks\n\n${markdown}`)
      if (sent.status !== 201) return void t.equal(sent.status, 422)
      const view = await request('GET', `${path}?view=blocks`)
      if (view.status !== 200) return void t.equal(view.status, 422)
      const own = view.json.blocks.filter(({ writable }: { writable: boolean }) => writable)
      if (own.length === 0 || sent.json.filename !== 'blocks.md') return
      const { id, offsets } = own[choice % own.length]
      const read = (await request('GET', path)).text
      const before = onDisk()
      const response = await put(`${path}?block=${id}`, 'A new paragraph.')
      if (response.status !== 201) return void t.equal(response.status, 422, response.text)
      written += 1
      const after = onDisk()
      const tail = read.slice(offsets[1])
      const shown = (await request('GET', path)).text
      // A mention is stored longer than it is shown, so the ends are compared as shown.
      if (!shown.endsWith(`A new paragraph.${tail}`)) throw new Error(`The rest changed: ${shown}`)
      if (!before.includes('@[')) {
        const body = read.slice(read.indexOf('# Blocks'), offsets[0])
        t.equal(after, `${body}A new paragraph.${tail}`)
      }
    }),
    { numRuns, seed: 3 },
  )
  t.ok(written > numRuns / 4, 'not too many were refused')
})

t.test('block ids are the same at every read, and differ between blocks', async (t) => {
  const path = `${project}/docs/ids.md`
  await fc.assert(
    fc.asyncProperty(anyMarkdown, async (markdown) => {
      if ((await put(path, `# Ids\n\n${markdown}`)).status !== 201) return
      const first = await request('GET', `${path}?view=blocks`)
      if (first.status !== 200) return
      const ids = first.json.blocks.map(({ id }: { id: string }) => id)
      t.equal(new Set(ids).size, ids.length)
      for (const id of ids) t.match(id, /^k[0-9a-hjkmnp-tv-z]{7}(?:\.\d+)?$/)
      const outline = (await request('GET', `${path}?view=outline`)).json.headings
      t.ok(outline.every(({ id }: { id: string }) => ids.includes(id)))
      await request('DELETE', path)
    }),
    { numRuns: 30, seed: 4 },
  )
})
