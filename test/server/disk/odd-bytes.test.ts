import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request as rawRequest } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

const files: Record<string, string | Buffer> = {
  'crlf.md': '# CRLF\r\n\r\nOne.\r\n\r\nTwo.\r\n',
  'cr.md': '# CR\r\rOld Mac.\r',
  'mixed.md': '# Mixed\n\r\nOne.\r\nTwo.\n',
  'bom.md': '\uFEFF# BOM\n\nText.\n',
  'no-final-newline.md': '# Open end\n\nText.',
  'only-newlines.md': '\n\n\n',
  'nul.md': '# NUL\n\nA\0B.\n',
  'not-utf8.md': Buffer.concat([Buffer.from('# Latin\n\nCaf'), Buffer.from([0xe9, 0x0a])]),
  'half-character.md': Buffer.from([0x23, 0x20, 0x41, 0x0a, 0xf0, 0x9f]),
  'utf16.md': Buffer.from('\uFEFF# UTF-16\n', 'utf16le'),
  'broken-yaml.md': '---\ntitle: [unclosed\n---\n# Broken\n',
  'duplicate-yaml.md': '---\ntitle: One\ntitle: Two\n---\nText.\n',
  'list-yaml.md': '---\n- a\n- b\n---\n# List\n',
  'anchors-yaml.md': '---\na: &a [1]\nb: *a\n---\n# Anchors\n',
  'open-yaml.md': '---\ntitle: Never closed\n\n# Open\n',
  'rule-on-top.md': '---\n\n# Rule\n',
  'no-title.md': 'Just text.\n',
  'second-level.md': '## Second\n\nText.\n',
  'tabs.md': '#\tTabs\n\n\tCode.\n',
  'bare-mention.md': '# Mention\n\n@Ada, look. And @Nobody.\n',
  'trailing-spaces.md': '# Spaces  \n\nText.   \n\n   \n',
  'setext.md': 'Setext\n======\n\nText.\n',
  'html.md': '<!-- note -->\n# HTML\n\n<b>x</b>\n',
  'long-line.md': `# Long\n\n${'word '.repeat(20_000)}\n`,
  'large.md': `# Large\n\n${'All work and no play.\n'.repeat(500_000)}`,
}

const workroom = await openProjectFolder(t, {
  prepare(home) {
    const folder = join(home, 'projects/general/documents/odd')
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  },
})

/** Reads a file's bytes over HTTP, because text would hide what is not UTF-8. */
function getBytes(path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { headers: { Authorization: `Bearer ${workroom.owner.key}` } }
    rawRequest(workroom.url + path, options, (response) => resolve(buffer(response)))
      .on('error', reject)
      .end()
  })
}

const traces = () =>
  Object.fromEntries(
    readdirSync(workroom.at('documents/odd')).map((name) => {
      const path = workroom.at(`documents/odd/${name}`)
      const { ino, mtimeMs, ctimeMs } = statSync(path)
      return [name, [ino, mtimeMs, ctimeMs, hash('sha256', readFileSync(path))]]
    }),
  )

t.test('a file is served byte for byte after the frontmatter, and never written back', async (t) => {
  const before = traces()
  const list = await workroom.list()
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    t.ok(list.has(`odd/${name}`), `${name} is listed`)
    const read = await getBytes(`${docs}/odd/${name}`)
    t.equal(read.subarray(0, 4).toString(), '---\n', name)
    const body = bytes.subarray(name === 'bom.md' ? 3 : 0)
    t.ok(read.subarray(read.length - body.length).equals(body), name)
    for (const view of ['blocks', 'outline']) {
      const { status } = await workroom.request('GET', `${docs}/odd/${name}?view=${view}`)
      t.ok([200, 422].includes(status), `${name} ?view=${view}: ${status}`)
    }
    const revisions = await workroom.revisions(`${docs}/odd/${name}`)
    t.same(
      revisions.map(({ bytes, via, revision }) => [bytes, via, revision]),
      [[bytes.length, 'disk', hash('sha256', bytes).slice(0, 20)]],
      name,
    )
  }
  await workroom.scan()
  await workroom.restart()
  await workroom.scan()
  t.same(traces(), before)
  t.equal((await workroom.request('GET', '/healthz')).status, 200)
})

t.test('a file without a title is listed by its name', async (t) => {
  const { documents } = (await workroom.request('GET', docs)).json as {
    documents: { filename: string; title: string }[]
  }
  const titles = new Map(documents.map(({ filename, title }) => [filename.replace('odd/', ''), title]))
  for (const [name, title] of [
    ['no-title.md', 'no-title'],
    ['second-level.md', 'second-level'],
    ['only-newlines.md', 'only-newlines'],
    ['bom.md', 'BOM'],
    ['setext.md', 'Setext'],
    ['crlf.md', 'CRLF'],
    ['broken-yaml.md', 'Broken'],
  ] as const) {
    t.equal(titles.get(name), title, name)
  }
})

t.test('a bare mention typed on the disk is shown, and stays as typed', async (t) => {
  const { text } = await workroom.request('GET', `${docs}/odd/bare-mention.md`)
  t.match(text, 'mentions: ["Ada"]\n')
  t.match(text, '@Ada, look. And @Nobody.\n')
  t.equal(readFileSync(workroom.at('documents/odd/bare-mention.md'), 'utf8'), files['bare-mention.md'])
})

for (const name of ['crlf.md', 'no-final-newline.md', 'bom.md', 'trailing-spaces.md']) {
  t.test(`a block write to ${name} changes the bytes of the block alone`, async (t) => {
    const path = `${docs}/odd/${name}`
    const before = readFileSync(workroom.at(`documents/odd/${name}`), 'utf8')
    const { blocks } = (await workroom.request('GET', `${path}?view=blocks`)).json
    const block = blocks.find(({ type, writable }: { type: string; writable: boolean }) => {
      return type === 'paragraph' && writable
    })
    const put = await workroom.request('PUT', `${path}?block=${block.id}`, { body: 'Replaced.' })
    t.equal(put.status, 201)
    const after = readFileSync(workroom.at(`documents/odd/${name}`), 'utf8')
    t.equal(after, before.replace(block.text, 'Replaced.'))
  })
}

t.test('a PUT of bytes that are not text is refused, and the file is unchanged', async (t) => {
  for (const body of [files['nul.md']!, files['not-utf8.md']!]) {
    const put = await workroom.request('PUT', `${docs}/odd/crlf.md`, { body })
    t.equal(put.status, 422)
  }
  t.match(readFileSync(workroom.at('documents/odd/crlf.md'), 'utf8'), /^# CRLF\r\n/)
})
