import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const project = '/v1/fs/projects/general'

const put = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  request('PUT', path, { body, headers })
const onDisk = (path: string) => readFileSync(join(home, 'projects/general', path), 'utf8')

t.test('the file name comes from the title, whatever the address was', async (t) => {
  const { status, json } = await put(`${project}/docs/whatever.md`, '# The real title\n\nText.\n')
  t.equal(status, 201)
  t.match(json, { filename: 'the-real-title.md', path: `${project}/library/documents/the-real-title.md` })
  t.equal((await request('GET', json.path)).status, 200)
})

t.test('frontmatter is optional, and its title becomes the heading', async (t) => {
  const { json } = await put(
    `${project}/docs/x.md`,
    '---\ntitle: From the fence\ntags: [a]\n---\nJust text.\n',
  )
  t.equal(json.filename, 'from-the-fence.md')
  t.match((await request('GET', json.path)).text, /---\n# From the fence\n\nJust text\.\n$/)
})

t.test('the first level-one heading is the title, and has precedence over the frontmatter’s', async (t) => {
  const { json } = await put(
    `${project}/docs/x.md`,
    '---\ntitle: In the fence\n---\n## Not this\n\n> # Nor this\n\nThe heading\n===\n\n# Second\n',
  )
  t.equal(json.filename, 'the-heading.md')
})

t.test('a file without a title is 422 in every folder, and nothing is written', async (t) => {
  for (const folder of ['docs', 'drafts', 'posts', 'board/01-triage']) {
    for (const body of [
      '',
      '\n',
      'Text.\n',
      '## Part\n',
      '#\n\nText.\n',
      '```\n# code\n```\n',
      '---\ntags: []\n---\n',
    ]) {
      const { status, json } = await put(`${project}/${folder}/no-title.md`, body)
      t.match([status, json], [422, { error: 'unprocessable', message: /title/ }], `${folder} ${body}`)
    }
    t.equal((await request('GET', `${project}/${folder}/no-title.md`)).status, 404)
  }
})

t.test('a title may have any length: 200 characters of it are shown, and name the file', async (t) => {
  t.equal((await put(`${project}/docs/long.md`, `# ${'🚀'.repeat(200)}\n`)).status, 201)
  const words = (count: number) => Array.from({ length: count }, () => 'word')
  for (const folder of ['docs', 'drafts', 'posts', 'board/01-triage']) {
    const body = `# ${words(60).join(' ')}\n\nText.\n`
    const { status, json } = await put(`${project}/${folder}/heading.md`, body)
    t.equal(status, 201, folder)
    t.match(json.filename, /word-word\.md$/)
    const list = (await request('GET', `${project}/${folder}`)).text
    t.match(list, JSON.stringify(words(40).join(' ')), folder)
    t.ok((await request('GET', json.path)).text.endsWith(body), 'the text contains all of it')
  }
})

t.test(
  'changed is false for the bytes that are stored: no revision, no editedAt, the same ETag',
  async (t) => {
    const path = `${project}/docs/same.md`
    const first = await put(path, '# Same\n\nText.\n')
    const read = (await request('GET', path)).text
    for (const body of [
      '# Same\n\nText.\n',
      read,
      '\uFEFF# Same\n\nText.\n',
      `---\nid: doc_x\n---\n# Same\n\nText.\n`,
    ]) {
      const again = await put(path, body)
      t.match([again.status, again.json], [201, { id: first.json.id, created: false, changed: false }])
      t.equal(again.headers.etag, first.headers.etag)
      t.match(again.json.blockIds, { rebound: 0, orphaned: 0 })
    }
    t.equal((await request('GET', `${path}/_revisions`)).json.revisions.length, 1)
    t.notMatch((await request('GET', path)).text, /editedAt/)
  },
)

t.test(
  'blockIds: total before the write, pairs of one type in a gap rebound, the rest orphaned',
  async (t) => {
    const path = `${project}/docs/counts.md`
    const write = async (...blocks: string[]) =>
      (await put(path, `# Counts\n\n${blocks.join('\n\n')}\n`)).json.blockIds
    t.strictSame(await write('One.', 'Two.', '- list'), { rebound: 0, orphaned: 0, total: 0 })
    t.strictSame(await write('One.', 'Zwei.', '- list'), { rebound: 1, orphaned: 0, total: 3 })
    t.strictSame(await write('One.', '- list'), { rebound: 0, orphaned: 1, total: 3 })
    t.strictSame(await write('One.', '- list', 'Three.'), { rebound: 0, orphaned: 0, total: 2 })
    t.strictSame(
      await write('One.', '## Part', 'Three.'),
      { rebound: 0, orphaned: 1, total: 3 },
      'another type',
    )
    t.strictSame(await write('Uno.', '## Part', 'Tre.', 'More.'), { rebound: 2, orphaned: 0, total: 3 })
    t.strictSame(await write('Uno.', '## Part', 'Tre.', 'More.'), { rebound: 0, orphaned: 0, total: 4 })
    t.strictSame((await put(path, '# Counts\n')).json.blockIds, { rebound: 0, orphaned: 4, total: 4 })
  },
)

t.test('the title is not one of the file’s own blocks: a new one is not counted', async (t) => {
  await put(`${project}/docs/old-name.md`, '# Old name\n\nText.\n')
  const { json } = await put(`${project}/docs/old-name.md`, '# New name\n\nText.\n')
  t.strictSame(json.blockIds, { rebound: 0, orphaned: 0, total: 1 })
})

t.test('a stale revision is 409 with the current one, in every folder that can be written', async (t) => {
  for (const folder of ['docs', 'drafts', 'board/02-todo']) {
    const { json, headers } = await put(`${project}/${folder}/stale.md`, '# Stale\n\nOne.\n')
    const etag = headers.etag as string
    t.equal((await put(json.path, '# Stale\n\nTwo.\n', { 'If-Match': etag })).status, 201)
    const stale = await put(json.path, '# Stale\n\nThree.\n', { 'If-Match': etag })
    t.match(
      [stale.status, stale.json],
      [409, { error: 'conflict', message: /_CONFLICT: changed in another session/ }],
    )
    const present = await request('GET', json.path)
    t.equal(stale.json.currentRevision, present.headers['x-service-revision'])
    t.match(present.text, /Two\.\n$/)
  }
})

t.test(
  'If-Match takes a list, a weak tag, a bare revision and *; expectedRevision is the same',
  async (t) => {
    const path = `${project}/docs/forms.md`
    await put(path, '# Forms\n')
    let n = 0
    const attempt = async (condition: (revision: string) => string, where: 'header' | 'query' = 'header') => {
      const revision = (await request('GET', path)).headers['x-service-revision'] as string
      const body = `# Forms\n\n${++n}\n`
      return where === 'header'
        ? put(path, body, { 'If-Match': condition(revision) })
        : put(`${path}?expectedRevision=${encodeURIComponent(condition(revision))}`, body)
    }
    const stale = '00000000000000000000'
    for (const form of ['"R"', 'W/"R"', 'R', '*', `"${stale}", "R"`, `${stale},R`, '"R-gzip"', 'W/"R-br"']) {
      t.equal((await attempt((revision) => form.replace('R', revision))).status, 201, form)
    }
    for (const form of [`"${stale}"`, stale, `W/"${stale}"`, '"of another server"'.replaceAll(' ', '-')])
      t.equal((await attempt(() => form)).status, 409, form)
    for (const form of ['', '""', 'junk', '"R', 'R"', "'R'", '*, "R"', '"R" "R"'])
      t.equal((await attempt((revision) => form.replaceAll('R', revision))).status, 422, form)
    t.equal((await attempt((revision) => revision, 'query')).status, 201)
    t.equal((await attempt((revision) => `"${revision}"`, 'query')).status, 201)
    t.equal((await attempt(() => stale, 'query')).status, 409)
    t.equal((await attempt(() => '', 'query')).status, 422)
  },
)

t.test('a conditional write to a missing file is 409, and creates nothing', async (t) => {
  const path = `${project}/docs/absent.md`
  for (const headers of [{ 'If-Match': '*' }, { 'If-Match': '"00000000000000000000"' }]) {
    const { status, json } = await put(path, '# Absent\n', headers)
    t.match([status, json], [409, { error: 'conflict', message: /_CONFLICT: / }])
  }
  t.equal((await put(`${path}?expectedRevision=00000000000000000000`, '# Absent\n')).status, 409)
  t.equal((await request('GET', path)).status, 404)
})

t.test('If-None-Match: * only creates, and else names the existing file', async (t) => {
  const path = `${project}/docs/create-only.md`
  const only = { 'If-None-Match': '*' }
  const created = await put(path, '# Create only\n', only)
  t.match([created.status, created.json.created], [201, true])
  const again = await put(path, '# Create only\n\nMore.\n', only)
  t.match([again.status, again.json], [409, { error: 'conflict', currentRevision: String }])
  t.equal(again.json.currentRevision, created.headers['x-service-revision'])
  t.equal((await put(path, '# Create only\n', { 'If-None-Match': '"x"' })).status, 422)
})

t.test('of several writers with one revision one succeeds, and its bytes are the file', async (t) => {
  const path = `${project}/docs/race.md`
  const { etag } = (await put(path, '# Race\n')).headers
  const bodies = Array.from({ length: 8 }, (_, n) => `# Race\n\nWriter ${n}.\n`)
  const responses = await Promise.all(bodies.map((body) => put(path, body, { 'If-Match': etag! })))
  const winners = responses.flatMap(({ status }, n) => (status === 201 ? [n] : []))
  t.equal(winners.length, 1)
  t.ok(responses.every(({ status }) => status === 201 || status === 409))
  t.equal(onDisk('documents/race.md'), bodies[winners[0]!])
})

t.test('of several writers who only create, one creates', async (t) => {
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      put(`${project}/docs/once.md`, `# Once\n\n${n}\n`, { 'If-None-Match': '*' }),
    ),
  )
  t.strictSame(responses.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)])
})

t.test('the file on the disk is what was sent, without server keys and without a BOM', async (t) => {
  const own = '---\ntags: [a]   # mine\n---\n# Stored\n\nText.  \nNo end'
  await put(`${project}/docs/stored.md`, `\uFEFF${own}`)
  t.equal(onDisk('documents/stored.md'), own)
  const read = (await request('GET', `${project}/docs/stored.md`)).text
  await put(`${project}/docs/stored.md`, read.replace('Text.', 'Other.'))
  t.equal(onDisk('documents/stored.md'), own.replace('Text.', 'Other.'))
})

t.test('the bytes of a file can be sent again also where no new file can be created', async (t) => {
  const folder = 'a/b/c/d/e/f/g/h/i'
  const text = '# Far below\n\nText.\n'
  mkdirSync(join(home, 'projects/general/documents', folder), { recursive: true })
  writeFileSync(join(home, 'projects/general/documents', folder, 'far-below.md'), text)
  const path = `${project}/docs/${folder}/far-below.md`
  t.match((await put(path, text)).json, { created: false, changed: false })
  t.equal((await put(path, '# Far below\n\nOther text.\n')).status, 422)
  t.equal(onDisk(`documents/${folder}/far-below.md`), text)
})

t.test('line endings, a missing final newline and unknown markdown are kept', async (t) => {
  for (const body of [
    '# Kept\r\n\r\nText.\r\n',
    '# Kept\r\rText.\r',
    '# Kept',
    '# Kept\n\n\n\n:::note{x=y}\n$$a$$\n[[wiki|link]] ![[embed]] ^block-id\n:::\n\n\n',
    '---\r\ntags: [a]\r\n---\r\n# Kept\r\n\r\nText.\r\n',
  ]) {
    const { status } = await put(`${project}/docs/kept.md`, body)
    t.equal(status, 201)
    t.equal(onDisk('documents/kept.md'), body)
    t.ok(
      (await request('GET', `${project}/docs/kept.md`)).text.endsWith(
        body.replace(/^---[\s\S]*?---\r\n/, ''),
      ),
    )
  }
})

t.test('a file that nests too deeply is plain text, and its first line with # is the title', async (t) => {
  const path = `${project}/docs/deep.md`
  const text = (end: string) => `\`\`\`\n# In a fence\n\`\`\`\n# Deep\n\n${'> '.repeat(2000)}@Ada ${end}\n`
  const { status, json } = await put(path, text('one'))
  t.match([status, json.filename], [201, 'deep.md'])
  t.strictSame((await put(path, text('two'))).json.blockIds, { rebound: 0, orphaned: 0, total: 0 })
  t.equal(onDisk('documents/deep.md'), text('two'), 'mentions are not resolved')
  const read = (await request('GET', path)).text
  t.ok(read.endsWith(`---\n${text('two')}`))
  t.equal((await put(path, read)).json.changed, false)
})

t.test('a write that waits for a document has its place before later requests', async (t) => {
  const markdown = processMarkdown()
  const since = new Map<string, number>()
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const own = await startWorkroom(t, {
    faults: {
      markdown: {
        ...markdown,
        async analyse(request, priority, sinceMs) {
          const text = Buffer.from(request.bytes).toString()
          since.set(text, sinceMs!)
          if (text.includes('Slow.')) await gate
          return markdown.analyse(request, priority, sinceMs)
        },
      },
    },
  })
  const write = (name: string, text: string) =>
    own.request('PUT', `${project}/docs/${name}.md`, { body: `# ${name}\n\n${text}\n` })
  t.equal((await write('one', 'At first.')).status, 201)
  const slow = write('one', 'Slow.')
  await own.eventually(() => since.has('# one\n\nSlow.\n'))
  const waiting = write('one', 'Waits.')
  // A request sent earlier has been read once a later one is answered.
  await own.request('GET', '/api/members')
  t.equal((await write('other', 'Later.')).status, 201)
  go()
  t.same(
    (await Promise.all([slow, waiting])).map(({ status }) => status),
    [201, 201],
  )
  t.ok(since.get('# one\n\nWaits.\n')! < since.get('# other\n\nLater.\n')!)
})

t.test('a new document does not wait for the files on the disk that others wait for', async (t) => {
  const markdown = processMarkdown()
  let held = 0
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const own = await startWorkroom(t, {
    faults: {
      markdown: {
        ...markdown,
        async analyse(request, priority, sinceMs) {
          if (Buffer.from(request.bytes).includes('Slow.')) {
            held += 1
            await gate
          }
          return markdown.analyse(request, priority, sinceMs)
        },
      },
    },
  })
  t.teardown(release)
  const names = Array.from({ length: 8 }, (_, n) => `slow-${n}`)
  const reads = names.map((name) => {
    writeFileSync(join(own.home, `projects/general/documents/${name}.md`), `# ${name}\n\nSlow.\n`)
    return own.request('GET', `${project}/docs/${name}.md`)
  })
  await own.eventually(() => held === names.length)
  const { status } = await own.request('PUT', `${project}/docs/new.md`, { body: '# New\n' })
  t.equal(status, 201)
  release()
  for (const read of reads) t.equal((await read).status, 200)
})
