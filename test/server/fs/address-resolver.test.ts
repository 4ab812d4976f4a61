import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'

let analyses = 0
const { analyse, ...markdown } = processMarkdown()
const counted: typeof analyse = (...request) => {
  analyses += 1
  return analyse(...request)
}
const workroom = await startWorkroom(t, { faults: { markdown: { ...markdown, analyse: counted } } })
const { request, clock } = workroom

const hourMs = 3_600_000

/** Creates a project for one test. @returns its path in the tree */
async function newProject(name: string): Promise<string> {
  const { json } = await request('POST', '/v1/fs/projects', { body: { name } })
  return `/v1/fs/projects/${json.slug}`
}

const put = (path: string, body: string) => request('PUT', path, { body })
const idAt = async (path: string) => /^id: (.*)$/m.exec((await request('GET', path)).text)?.[1]

t.test('a document is found by its file name, its slug and its id, with or without .md', async (t) => {
  const project = await newProject('Finding')
  const { json } = await put(`${project}/docs/anything.md`, '# Q3: Ümläute & “plans”\n')
  t.equal(json.filename, 'q3-umlaute-plans.md')
  for (const name of [json.filename, 'q3-umlaute-plans', json.id, `${json.id}.md`, 'Q3-Umlaute-Plans.md']) {
    t.equal(await idAt(`${project}/docs/${name}`), json.id, name)
    t.equal(await idAt(`${project}/library/documents/${name}`), json.id, name)
  }
  t.equal((await request('GET', `${project}/docs/q3`)).status, 404)
  t.equal((await request('GET', `${project}/posts/${json.id}`)).status, 404, 'it is not a post')
})

t.test('an exact file name takes precedence over another document’s slug', async (t) => {
  const project = await newProject('Exact')
  const folder = `${workroom.home}/projects/exact/documents`
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/alpha.md`, '# Beta\n')
  writeFileSync(`${folder}/other.md`, '# Alpha\n')
  await workroom.eventually(async () => (await request('GET', `${project}/docs`)).json.documents.length === 2)
  t.match((await request('GET', `${project}/docs/alpha`)).text, /# Beta/)
  t.match((await request('GET', `${project}/docs/alpha.md`)).text, /# Beta/)
  t.match((await request('GET', `${project}/docs/beta`)).text, /# Beta/)
  t.match((await request('GET', `${project}/docs/other`)).text, /# Alpha/)
})

t.test('a post is found by its dated name, by its slug without the date, and by its id', async (t) => {
  const project = await newProject('Dates')
  const { json } = await put(`${project}/posts/hello-world.md`, '# Hello, World!\n')
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  t.equal(json.filename, `${day}-hello-world.md`)
  for (const name of [json.filename, `${day}-hello-world`, 'hello-world.md', 'hello-world', json.id])
    t.equal(await idAt(`${project}/posts/${name}`), json.id, name)
})

t.test('of two posts with one slug the newer answers, and each answers to its own name', async (t) => {
  const project = await newProject('Newest')
  const first = (await put(`${project}/posts/one.md`, '# Same name\n\nFirst.\n')).json
  clock.advance(hourMs)
  const second = (await put(`${project}/posts/two.md`, '# Same name\n\nSecond.\n')).json
  t.not(first.filename, second.filename)
  t.equal(await idAt(`${project}/posts/same-name`), second.id)
  t.equal(await idAt(`${project}/posts/same-name.md`), second.id)
  t.equal(await idAt(first.path), first.id)
  t.equal(await idAt(second.path), second.id)
})

t.test('the second file of the same name gets the suffix -2, the third -3', async (t) => {
  const project = await newProject('Twins')
  const names = []
  for (const address of ['a', 'b', 'c']) {
    names.push((await put(`${project}/docs/${address}.md`, `# Same\n\n${address}\n`)).json.filename)
  }
  t.strictSame(names, ['same.md', 'same-2.md', 'same-3.md'])
  t.equal((await put(`${project}/docs/same-2.md`, '# Same\n\nmore\n')).json.created, false)
})

t.test('a new title renames the file, keeps the id, and the old address answers for a day', async (t) => {
  const project = await newProject('Renames')
  const { id } = (await put(`${project}/docs/plan.md`, '# Plan\n')).json
  const renamed = (await put(`${project}/docs/plan.md`, '# Road map\n')).json
  t.match(renamed, { id, filename: 'road-map.md', created: false, changed: true })
  t.equal((await request('GET', `${project}/docs`)).json.documents.length, 1)
  for (const old of ['plan.md', 'plan']) t.equal(await idAt(`${project}/docs/${old}`), id, old)
  t.match((await put(`${project}/docs/plan`, '# Road map\n\nMore.\n')).json, { id, created: false })

  clock.advance(24 * hourMs + 1)
  t.equal((await request('GET', `${project}/docs/plan.md`)).status, 404)
  const next = (await put(`${project}/docs/plan.md`, '# Plan\n')).json
  t.equal(next.created, true)
  t.not(next.id, id)
})

t.test('a name that is taken again belongs to its new document', async (t) => {
  const project = await newProject('Taken again')
  const old = (await put(`${project}/docs/plan.md`, '# Plan\n')).json
  await put(old.path, '# Road map\n')
  const next = (await put(`${project}/docs/new.md`, '# Plan\n')).json
  t.equal(next.filename, 'plan.md')
  t.equal(await idAt(`${project}/docs/plan.md`), next.id)
  t.equal(await idAt(`${project}/docs/road-map.md`), old.id)
})

t.test('a PUT or DELETE at an old name is refused unless it shows that the document is known', async (t) => {
  const project = '/v1/fs/projects/general'
  const grace = await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' }, 'general')
  const fresh = async (title: string) => {
    const path = `${project}/docs/${title.toLowerCase()}-then.md`
    await put(path, `# ${title} then\n`)
    return { path, now: (await put(path, `# ${title} now\n\nText.\n`)).json }
  }
  const by = (key: string, method: string, path: string, options: object = {}) =>
    request(method, path, { key, ...options })
  const { path, now } = await fresh('Plan')
  const block = (await request('GET', `${path}?view=blocks`)).json.blocks.at(-1).id
  const { revision } = (await request('GET', `${path}/_revisions`)).json.revisions.at(-1)
  const changes: [method: string, path: string, options?: object][] = [
    ['PUT', path, { body: '# Plan then\n\nMine.\n' }],
    ['PUT', `${path}?block=${block}`, { body: 'Mine.\n' }],
    ['POST', `${path}/_restore`, { body: { revision } }],
    ['DELETE', path],
  ]
  for (const [method, at, options] of changes) {
    const { status, json } = await by(grace.key, method, at, options)
    t.match(
      [status, json],
      [409, { error: 'conflict', message: now.path, path: now.path }],
      `${method} ${at}`,
    )
  }
  t.match(
    (await by(grace.key, 'GET', path)).text,
    /# Plan now\n\nText\.\n$/,
    'the document can be read, and nothing has changed',
  )
  const etag = (await by(grace.key, 'GET', path)).headers.etag!
  const stale = await by(grace.key, 'PUT', path, {
    body: '# X\n',
    headers: { 'If-Match': '"00000000000000000000"' },
  })
  t.match([stale.status, stale.json.message], [409, /changed in another session/])
  const known = await by(grace.key, 'PUT', path, {
    body: '# Plan now\n\nKnown.\n',
    headers: { 'If-Match': etag },
  })
  t.match([known.status, known.json], [201, { id: now.id, created: false }])
  const own = await by(grace.key, 'PUT', path, { body: '# Plan now\n\nOwn.\n' })
  t.match([own.status, own.json.id], [201, now.id], 'the current revision is now by this member')
  t.equal((await put(path, '# Plan then\n\nMine.\n')).status, 409, 'and no longer by the first one')
  const expected = `?expectedRevision=${own.headers['x-service-revision']}`
  t.equal((await request('DELETE', path + expected)).status, 200)

  const other = await fresh('Note')
  t.equal((await request('DELETE', other.path)).status, 200, 'the author of this revision may delete it')
  const draft = `${project}/drafts/old-then.md`
  await put(draft, '# Old then\n')
  await put(draft, '# Old now\n')
  t.equal((await request('POST', `${draft}/attachments?name=a.txt`, { body: 'a' })).status, 201)
  t.equal((await request('POST', `${draft}/_publish`)).status, 201)
})

t.test('for a day, the address that a new file was written to reads it, whatever its title', async (t) => {
  const project = await newProject('Requested')
  for (const folder of ['docs', 'docs/guides', 'drafts', 'posts', 'board/01-triage', 'board/done']) {
    const path = `${project}/${folder}/long.md`
    const { id, filename } = (await put(path, `# Another title in ${folder}\n`)).json
    t.not(filename, 'long.md')
    for (const at of [path, path.replace('.md', '')]) t.equal(await idAt(at), id, at)
    t.equal((await request('GET', `${path}?view=blocks`)).status, 200)
  }
  clock.advance(24 * hourMs + 1)
  t.equal((await request('GET', `${project}/docs/long.md`)).status, 404)
})

t.test(
  'a write to the address of a new document changes it if title or revision match, else adds another',
  async (t) => {
    const project = await newProject('Requested again')
    const grace = await workroom.addMember({ name: 'Linus', type: 'human', role: 'admin' }, 'requested-again')
    const path = `${project}/docs/new.md`
    const { id } = (await put(path, '# First plan\n')).json
    t.match((await put(path, '# First plan\n\nMore.\n')).json, { id, created: false, changed: true })
    const conditional = (headers: Record<string, string>, body: string) =>
      request('PUT', path, { headers, body })
    const { etag } = (await request('GET', path)).headers
    t.match((await conditional({ 'If-Match': etag! }, '# First\n')).json, { id, filename: 'first.md' })
    t.equal((await conditional({ 'If-Match': etag! }, '# First\n\nStale.\n')).status, 409)

    const byGrace = await request('PUT', path, { key: grace.key, body: '# First\n' })
    t.match(byGrace.json, { created: true, filename: 'first-2.md' }, 'another member writes a new file')
    const second = (await put(path, '# Second plan\n')).json
    t.match(second, { created: true, filename: 'second-plan.md' })
    t.equal(await idAt(path), second.id, 'the address answers with the latest one')
    t.equal((await request('DELETE', path, { key: grace.key })).status, 409)
    t.equal((await request('DELETE', path)).status, 200)
    t.equal((await request('GET', path)).status, 404)
  },
)

t.test('a write to the address of a new document is analysed once', async (t) => {
  const project = await newProject('Analysed once')
  const path = `${project}/docs/new.md`
  const { id } = (await put(path, '# First plan\n\nOne.\n\nTwo.\n')).json
  const before = analyses
  t.match((await put(path, '# First plan\n\nOne.\n\nThree.\n')).json, { id, created: false, changed: true })
  t.equal(analyses - before, 1)
  t.match((await put(path, '# First plan\n\nOne.\n\nThree.\n')).json, { id, created: false, changed: false })
  t.match((await put(path, (await request('GET', path)).text)).json, { id, created: false, changed: false })
})

t.test('a new card is created although the one before it was moved to another column', async (t) => {
  const project = await newProject('Moved away')
  const path = `${project}/board/todo/new.md`
  const first = (await put(path, '# First\n')).json
  t.equal((await request('POST', `${first.path}/_move`, { body: { toColumn: 'done' } })).status, 200)
  t.match((await put(path, '# First\n\nMore.\n')).json, { error: 'conflict', message: /04-done/ })
  const second = (await put(path, '# Second\n')).json
  t.match(second, { created: true, filename: '0002-second.md' })
  t.equal(await idAt(path), second.id)
})

t.test(
  'a document whose heading was removed on the disk keeps its name when it is read and written back',
  async (t) => {
    const project = await newProject('Without a heading')
    const folder = `${workroom.home}/projects/without-a-heading`
    const written = [
      { path: `${project}/docs/new.md`, at: (name: string) => `documents/${name}` },
      { path: `${project}/docs/guides/new.md`, at: (name: string) => `documents/${name}` },
      { path: `${project}/drafts/new.md`, at: (name: string) => `drafts/ada/${name}` },
      { path: `${project}/board/todo/new.md`, at: (name: string) => `board/02-todo/${name}` },
    ]
    for (const { path, at } of written) {
      const { id, filename } = (await put(path, '# A plan\n\nText.\n')).json
      const file = `${folder}/${at(filename)}`
      writeFileSync(file, 'Text.\n')
      const read = (await request('GET', path)).text
      t.match(read, `# ${filename.split('/').at(-1).replace('.md', '')}\n\nText.\n`)
      t.match((await put(path, read)).json, { id, filename, created: false, changed: false }, path)
      const more = `${read}\nMore.\n`
      t.match((await put(path, more)).json, { id, filename, created: false, changed: true }, path)
      t.equal(readFileSync(file, 'utf8'), 'Text.\n\nMore.\n')
      t.match((await put(path, more)).json, { id, filename, created: false, changed: false }, path)
    }
    const { documents } = (await request('GET', `${project}/docs`)).json
    t.equal(documents.length, 2)
    const [{ filename, path }] = (await request('GET', `${project}/board/todo`)).json.cards
    const moved = await request('POST', `${path}/_move`, { body: { toColumn: 'done' } })
    t.match(moved.json, { filename, column: '04-done' })
    const draft = (await request('GET', `${project}/drafts`)).json.posts[0].filename
    const published = await request('POST', `${project}/drafts/${draft}/_publish`)
    t.equal(published.json.filename, draft)
  },
)

t.test('an old name is free for a request that only creates, and for no other', async (t) => {
  const project = await newProject('Free again')
  const old = (await put(`${project}/docs/plan.md`, '# Plan\n')).json
  await put(old.path, '# Road map\n')
  const create = () =>
    request('PUT', `${project}/docs/plan.md`, { body: '# Plan\n', headers: { 'If-None-Match': '*' } })
  const responses = await Promise.all([create(), create()])
  t.strictSame(responses.map(({ status }) => status).sort(), [201, 409])
  t.equal(await idAt(`${project}/docs/road-map.md`), old.id)
  t.not(await idAt(`${project}/docs/plan.md`), old.id)
})

t.test('an old name is free at once for a file that somebody puts there on the disk', async (t) => {
  const project = await newProject('By hand')
  const old = (await put(`${project}/docs/plan.md`, '# Plan\n')).json
  await put(old.path, '# Road map\n')
  const folder = `${workroom.home}/projects/by-hand/documents`
  writeFileSync(`${folder}/.plan.tmp`, '# Another plan\n')
  renameSync(`${folder}/.plan.tmp`, `${folder}/plan.md`)
  t.match((await request('GET', `${project}/docs/plan.md`)).text, /# Another plan\n$/)
  t.equal(await idAt(`${project}/docs/road-map.md`), old.id)
})

t.test('a new title that is taken gets a suffix, and the suffix stays', async (t) => {
  const project = await newProject('Clash')
  await put(`${project}/docs/plan.md`, '# Plan\n')
  const other = (await put(`${project}/docs/other.md`, '# Other\n')).json
  t.match((await put(other.path, '# Plan\n\nMine.\n')).json, { id: other.id, filename: 'plan-2.md' })
  t.match((await put(`${project}/docs/plan-2.md`, '# Plan\n\nStill.\n')).json, { filename: 'plan-2.md' })
  t.match((await request('GET', `${project}/docs/plan.md`)).text, /# Plan\n$/)
})

t.test('after a new title, a draft’s old address answers as that of a document does', async (t) => {
  const project = await newProject('Draft renames')
  const draft = (await put(`${project}/drafts/first.md`, '# First\n')).json
  const renamed = (await put(draft.path, '# Second\n')).json
  t.match(renamed, { id: draft.id, filename: /-second\.md$/ })
  t.equal(await idAt(draft.path), draft.id)
  t.equal((await put(draft.path, '# Second\n\nMore.\n')).json.created, false)
})

t.test('an old address in a sub-folder answers too, and the file stays in its folder', async (t) => {
  const project = await newProject('Sub-folders')
  const { id, filename } = (await put(`${project}/docs/guides/first.md`, '# First\n')).json
  t.equal(filename, 'guides/first.md')
  t.match((await put(`${project}/docs/guides/first.md`, '# Next steps\n')).json, {
    id,
    filename: 'guides/next-steps.md',
  })
  t.equal(await idAt(`${project}/docs/guides/first.md`), id)
  t.equal(await idAt(`${project}/docs/guides/next-steps`), id)
})

t.test('a title that changes only its spelling leaves the file where it is', async (t) => {
  const project = await newProject('Spelling')
  const { id } = (await put(`${project}/docs/plan.md`, '# plan\n')).json
  t.match((await put(`${project}/docs/plan.md`, '# Plan!\n')).json, {
    id,
    filename: 'plan.md',
    changed: true,
  })
})

t.test('a title without a letter or digit is stored under the id', async (t) => {
  const project = await newProject('No slug')
  const { id, filename, path } = (await put(`${project}/docs/x.md`, '# 🚀!\n')).json
  t.equal(filename, `${id}.md`)
  t.equal(await idAt(path), id)
  t.match((await request('GET', path)).text, /# 🚀!\n$/)
})

t.test('letters of every script are kept, and a path can be requested as it is', async (t) => {
  const project = await newProject('Scripts')
  for (const [title, filename] of [
    ['会議メモ', '会議メモ.md'],
    ['Привет, мир', 'привет-мир.md'],
    ['Crème brûlée', 'creme-brulee.md'],
    ['a'.repeat(100), `${'a'.repeat(80)}.md`],
  ] as const) {
    const { json } = await put(`${project}/docs/new.md`, `# ${title}\n`)
    t.equal(json.filename, filename.normalize('NFC'))
    t.equal(await idAt(json.path), json.id)
    t.match(json.path, /^[\x21-\x7e]+$/)
    t.equal(await idAt(`${project}/docs/${encodeURIComponent(filename.normalize('NFD'))}`), json.id, 'in NFD')
  }
})

t.test('a project is found by its slug and by its id', async (t) => {
  const project = await newProject('By id')
  const { path, id } = (await put(`${project}/docs/x.md`, '# X\n')).json
  const projectId = /^projectId: (.*)$/m.exec((await request('GET', path)).text)![1]
  t.equal(await idAt(`/v1/fs/projects/${projectId}/docs/x.md`), id)
  t.equal((await request('GET', `/v1/fs/projects/${projectId}/docs`)).json.project, 'by-id')
})

t.test('a card is found by its file name, its number, its slug and its id', async (t) => {
  const project = await newProject('Cards')
  const { json } = await put(`${project}/board/02-todo/x.md`, '# Fix login\n')
  t.equal(json.filename, '0001-fix-login.md')
  for (const name of [
    '0001-fix-login.md',
    '0001-fix-login',
    '1',
    '0001',
    '1.md',
    'fix-login',
    'fix-login.md',
    json.id,
  ])
    t.equal(await idAt(`${project}/board/02-todo/${name}`), json.id, name)
  t.match((await put(`${project}/board/todo/0001-fix-login.md`, '# Fix logout\n')).json, {
    id: json.id,
    filename: '0001-fix-logout.md',
  })
  t.equal(await idAt(`${project}/board/02-todo/0001-fix-login.md`), json.id, 'its old name')
})

t.test('when two writers name the same new file differently, there is one document', async (t) => {
  const project = await newProject('At once')
  const responses = await Promise.all(
    ['plan', 'plan.md', 'PLAN.md', 'plan'].map((name, n) =>
      put(`${project}/docs/${name}`, `# Plan\n\n${n}\n`),
    ),
  )
  t.equal(responses.filter(({ json }) => json.created).length, 1)
  t.equal((await request('GET', `${project}/docs`)).json.documents.length, 1)
})
