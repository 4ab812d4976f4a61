import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const grace = await workroom.addMember({ name: 'Grace', type: 'human' })
const tree = '/v1/fs/projects/general'
const put = async (path: string, body: string) =>
  (await workroom.request('PUT', `${tree}/${path}`, { body })).json as { id: string; path: string }
const onDisk = (path: string) => readFileSync(workroom.at(path), 'utf8')
const move = (path: string, body: object, key = workroom.owner.key) =>
  workroom.request('POST', `${path}/_move`, { key, body })

t.test(
  'a document moves to another folder with its id, bytes and history, and its old address leads to it',
  async (t) => {
    const { id, path } = await put('docs/plan.md', '# Plan\n\nText.\n')
    await put('docs/plan.md', '# Plan\n\nMore.\n')
    const { status, json } = await move(path, { toFolder: 'guides/setup' })
    t.equal(status, 200)
    t.match(json, { id, filename: 'guides/setup/plan.md', moved: true })
    t.match(json.path, /\/library\/documents\/guides\/setup\/plan\.md$/)
    t.match(json.url, /\/docs\/guides\/setup\/plan$/)
    t.equal(onDisk('documents/guides/setup/plan.md'), '# Plan\n\nMore.\n')
    t.match((await workroom.request('GET', path)).text, `id: ${id}`, 'the old address reads it')
    t.equal((await workroom.request('GET', `${json.path}/_revisions`)).json.revisions.length, 2)
    t.match((await move(json.path, { toFolder: '/guides/setup/' })).json, { moved: false })
    const back = (await move(json.path, { toFolder: '' })).json
    t.match(back, { id, filename: 'plan.md', moved: true })
  },
)

t.test('a name that is taken in the folder gets a number', async (t) => {
  await put('docs/a/notes.md', '# Notes\n')
  const { path } = await put('docs/b/notes.md', '# Notes\n')
  t.match((await move(path, { toFolder: 'a' })).json, { filename: 'a/notes-2.md', moved: true })
})

t.test('a document is renamed by a path, and keeps its id, bytes and title', async (t) => {
  const { id, path } = await put('docs/first.md', '# First\n')
  const { status, json } = await move(path, { to: 'guides/Erste Schritte' })
  t.match([status, json], [200, { id, filename: 'guides/Erste Schritte.md', moved: true }])
  t.equal(onDisk('documents/guides/Erste Schritte.md'), '# First\n')
  t.match((await move(json.path, { to: json.path })).json, { moved: false })
  await workroom.request('PUT', json.path, { body: '# First\n\nMore.\n' })
  t.equal(onDisk('documents/guides/Erste Schritte.md'), '# First\n\nMore.\n', 'the name stays')
  const respelled = (await move(json.path, { to: `${tree}/docs/guides/erste%20schritte.md` })).json
  t.match(respelled, { id, filename: 'guides/erste schritte.md', moved: true })
  t.match((await workroom.request('GET', path)).text, `id: ${id}`, 'the old address reads it')
  t.match((await move(respelled.path, { to: 'other/' })).json, { filename: 'other/erste schritte.md' })
})

t.test('a rename to a name that is taken, invalid or in another project is refused', async (t) => {
  await put('docs/taken.md', '# Taken\n')
  const { path } = await put('docs/free.md', '# Free\n')
  for (const [body, status, message] of [
    [{ to: 'TAKEN.md' }, 409, /There is a file "TAKEN.md" already/],
    [{ to: 'a:b.md' }, 422, /A file cannot be named/],
    [{ to: '.hidden.md' }, 422, /A file cannot be named/],
    [{ to: '../out.md' }, 422, /folder cannot be named/],
    [{ to: '/v1/fs/projects/other/docs/free.md' }, 422, /within a project/],
    [{ to: 'a', toFolder: 'b' }, 422, /either toFolder/],
  ] as const) {
    const response = await move(path, body)
    t.match([response.status, response.json.message], [status, message], JSON.stringify(body))
  }
  t.equal(onDisk('documents/free.md'), '# Free\n')
})

t.test('a move that is not possible is refused with a reason', async (t) => {
  const { path } = await put('docs/still.md', '# Still\n')
  for (const [body, status, message] of [
    [{}, 422, /toFolder/],
    [{ toFolder: 7 }, 422, /toFolder/],
    [{ folder: 'a' }, 422, /toFolder/],
    [{ toFolder: 'a', more: 1 }, 422, /more/],
    [{ toFolder: '../out' }, 422, /folder cannot be named/],
    [{ toFolder: '.git' }, 422, /folder cannot be named/],
    [{ toFolder: Array.from({ length: 9 }, () => 'x').join('/') }, 422, /8 folders deep/],
  ] as const) {
    const response = await move(path, body)
    t.equal(response.status, status, JSON.stringify(body))
    t.match(response.text, message)
  }
  writeFileSync(workroom.at('documents/file'), 'x')
  t.equal((await move(path, { toFolder: 'file' })).status, 409)
  t.equal((await move(`${tree}/docs/nowhere.md`, { toFolder: 'a' })).status, 404)
  t.equal((await move(path, { toFolder: 'a' }, grace.key)).status, 403, 'for members of the project only')
  const read = await workroom.request('GET', `${path}/_move`)
  t.match([read.status, read.headers.allow], [405, 'POST'])
})
