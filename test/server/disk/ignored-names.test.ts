import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const project = '/v1/fs/projects/general'

t.test('files that editors, systems and sync tools leave behind are ignored', async (t) => {
  await workroom.put('Plan')
  await workroom.scan()
  const events = eventsOf(workroom.home).length
  const list = await workroom.list()
  const ignored = [
    '.plan.md.swp',
    '.plan.md.swo',
    '4913',
    'plan.md~',
    '.#plan.md',
    '#plan.md#',
    '~$plan.md',
    '.DS_Store',
    '._plan.md',
    '.syncthing.plan.md.tmp',
    '~syncthing~plan.md.tmp',
    'plan.md.tmp',
    'plan.md.part',
    'plan.md.crdownload',
    'plan.md___jb_tmp___',
    '.~lock.plan.md#',
    '.nfs000000000123',
    'Thumbs.db',
    'desktop.ini',
    '.hidden.md',
    '.obsidian/workspace.md',
    '.git/description.md',
    '.stversions/plan~20260101-101010.md',
    'node_modules/package/README.md',
  ]
  for (const name of ignored) workroom.write(`documents/${name}`, '# Litter\n')
  workroom.write('board/02-todo/.0001-x.md.swp', '# Litter\n')
  workroom.write('posts/.2026-01-01-x.md.tmp', '# Litter\n')
  await workroom.scan()
  t.same(await workroom.list(), list)
  for (const name of ignored) {
    t.equal((await workroom.request('GET', `${docs}/${encodeURIComponent(name)}`)).status, 404, name)
    t.equal(
      (await workroom.request('GET', `${docs}/${name.split('/').map(encodeURIComponent).join('/')}`)).status,
      404,
      name,
    )
  }
  t.equal(eventsOf(workroom.home).length, events)
  t.equal((await workroom.request('GET', '/healthz')).status, 200)
})

const copies = [
  'notes.sync-conflict-20260101-101010-ABCDEFG.md',
  "notes (Ada's conflicted copy 2026-01-01).md",
  'notes (conflicted copy 2026-01-01 101010).md',
  'notes.conflicted.md',
]

t.test('conflict copies are listed with their original, can be read, and are not documents', async (t) => {
  const { id, path } = await workroom.put('Notes')
  await workroom.scan()
  const events = eventsOf(workroom.home).length
  for (const [n, name] of copies.entries()) workroom.write(`documents/${name}`, `# Notes\n\nCopy ${n}.\n`)

  const { documents } = (await workroom.request('GET', docs)).json
  const row = documents.find((found: { id: string }) => found.id === id)
  t.same(row.conflictCopies, [...copies].sort())
  t.notOk(documents.some(({ filename }: { filename: string }) => copies.includes(filename)))
  for (const [n, name] of copies.entries()) {
    const read = await workroom.request('GET', `${docs}/${encodeURIComponent(name)}`)
    t.match([read.status, read.text], [200, `# Notes\n\nCopy ${n}.\n`], name)
  }
  t.equal(bodyOf(await workroom.request('GET', path)), '# Notes\n\nText.\n', 'the original is unchanged')
  await workroom.scan()
  t.equal(eventsOf(workroom.home).length, events)
})

t.test('a conflict copy that is deleted or renamed is no longer listed', async (t) => {
  const shown = async () => {
    const { documents } = (await workroom.request('GET', docs)).json
    const row = documents.find(({ filename }: { filename: string }) => filename === 'notes.md')
    return (row.conflictCopies ?? []) as string[]
  }
  const [deleted, renamed] = copies
  unlinkSync(workroom.at(`documents/${deleted}`))
  t.notOk((await shown()).includes(deleted!))
  t.equal((await workroom.request('GET', `${docs}/${encodeURIComponent(deleted!)}`)).status, 404)

  renameSync(workroom.at(`documents/${renamed}`), workroom.at('documents/merged-by-hand.md'))
  t.notOk((await shown()).includes(renamed!))
  t.type((await workroom.list()).get('merged-by-hand.md'), 'string')
  t.equal((await shown()).length, 2)
})

t.test('a conflict copy of a post, a draft or a card publishes, moves and notifies nothing', async (t) => {
  const bob = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')
  const inbox = async () => (await workroom.request('GET', '/v1/fs/inbox/mentions.md', { key: bob.key })).text
  const before = await inbox()
  const text = `# News\n\n@[Bob](${bob.member.id}) see this.\n`
  for (const [folder, rows] of [
    ['posts', 'posts'],
    ['drafts', 'posts'],
    ['board/02-todo', 'cards'],
  ] as const) {
    const { json } = await workroom.request('PUT', `${project}/${folder}/news.md`, { body: '# News\n' })
    const events = eventsOf(workroom.home).length
    const within = folder === 'drafts' ? 'drafts/ada' : folder
    const copy = `${json.filename.replace(/\.md$/, '')}.sync-conflict-20260101-101010-ABCDEFG.md`
    workroom.write(`${within}/${copy}`, text)
    await workroom.scan()
    const list = (await workroom.request('GET', `${project}/${folder}`)).json
    t.match(list[rows], [{ id: json.id, conflictCopies: [copy] }], folder)
    t.equal(list[rows].length, 1)
    t.equal((await workroom.request('GET', `${project}/${folder}/${copy}`)).text, text)
    t.equal(eventsOf(workroom.home).length, events)
  }
  t.equal(await inbox(), before)
  const other = await workroom.request('GET', `${project}/drafts`, { key: bob.key })
  t.same(other.json.posts, [], 'the draft stays private')
})

t.test('a conflict copy is matched with its original in either Unicode form', async (t) => {
  const nfd = 'Grüße'.normalize('NFD')
  workroom.write(`documents/${nfd}.md`, '# Greetings\n')
  writeFileSync(
    workroom.at(`documents/${'Grüße'.normalize('NFC')}.sync-conflict-20260101-101010-ABCDEFG.md`),
    '# Other\n',
  )
  await workroom.scan()
  const { documents } = (await workroom.request('GET', docs)).json
  const row = documents.find(({ filename }: { filename: string }) => filename === `${nfd}.md`)
  t.equal(row.conflictCopies?.length, 1)
})

t.test('a document whose title is an ignored name is still a document', async (t) => {
  const put = await workroom.request('PUT', `${docs}/anything.md`, { body: '# 4913\n' })
  t.equal(put.status, 201)
  t.equal((await workroom.request('GET', put.json.path)).status, 200)
  await workroom.scan()
  t.equal((await workroom.list()).get(put.json.filename), put.json.id)
})
