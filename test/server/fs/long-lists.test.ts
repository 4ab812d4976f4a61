import { mkdirSync, renameSync, rmSync } from 'node:fs'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const count = 450

t.test('a list of many documents is one JSON answer like a short one', async (t) => {
  mkdirSync(workroom.at('documents'), { recursive: true })
  const { headers: short } = await workroom.request('GET', docs)
  for (let n = 0; n < count; n++) workroom.write(`documents/many/sheet-${n}.md`, `# Sheet ${n} "quoted"\n`)
  const response = await eventually(async () => {
    const response = await workroom.request('GET', docs)
    return response.json.documents.length >= count ? response : null
  })
  t.equal(response.status, 200)
  t.equal(response.headers['content-type'], short['content-type'])
  t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.text))
  const { project, documents } = response.json
  t.equal(project, 'general')
  const sheet = documents.find(({ filename }: { filename: string }) => filename === 'many/sheet-7.md')
  t.match(sheet, {
    title: 'Sheet 7 "quoted"',
    bytes: 19,
    path: `/v1/fs/projects/general/library/documents/many/sheet-7.md`,
  })
  const head = await workroom.request('HEAD', docs)
  t.equal(head.headers['content-length'], response.headers['content-length'])
})

t.test('a row that was listed before shows later changes', async (t) => {
  const row = async (name: string) =>
    (await workroom.request('GET', docs)).json.documents.find(
      ({ filename }: { filename: string }) => filename === `many/${name}.md`,
    )
  const before = await row('sheet-8')
  t.match(before, { title: 'Sheet 8 "quoted"', author: 'Ada' })
  await workroom.request('PATCH', `/api/members/${workroom.owner.member.id}`, {
    body: { name: 'Ada Lovelace' },
  })
  t.match(await row('sheet-8'), { author: 'Ada Lovelace' })
  await workroom.request('PUT', `${docs}/many/sheet-8.md`, { body: '# Sheet 8 "quoted"\n\nRevised.\n' })
  const after = await row('sheet-8')
  t.match(after, { id: before.id, bytes: 29 })
  t.ok(after.lastEditedAt >= before.lastEditedAt)
  workroom.write('documents/many/sheet-9.sync-conflict-20260101-101010-ABCDEFG.md', '# Sheet 9\n')
  await workroom.scan()
  t.match(await row('sheet-9'), {
    conflictCopies: ['sheet-9.sync-conflict-20260101-101010-ABCDEFG.md'],
  })
})

t.test('a list that was sent before shows each kind of change', async (t) => {
  const names = async () =>
    new Set([...(await workroom.list()).keys()].filter((name) => /^many\/(sheet-1\d|new|moved)/.test(name)))
  const has = async (name: string) => (await names()).has(`many/${name}.md`)
  t.notOk(await has('new'))
  await workroom.request('PUT', `${docs}/many/new.md`, { body: '# New\n' })
  t.ok(await has('new'), 'a new document')
  renameSync(workroom.at('documents/many/new.md'), workroom.at('documents/many/moved.md'))
  t.strictSame([await has('new'), await has('moved')], [false, true], 'a renamed file')
  await workroom.request('DELETE', `${docs}/many/moved.md`)
  t.notOk(await has('moved'), 'a deleted document')
  workroom.write('documents/many/new.md', '# New\n')
  t.ok(await has('new'), 'a new file')

  const file = workroom.at('documents/many/sheet-10.md')
  renameSync(file, workroom.at('../away.md'))
  t.notOk(await has('sheet-10'), 'a missing file')
  renameSync(workroom.at('../away.md'), file)
  t.ok(await has('sheet-10'), 'a file that is back')

  workroom.write('documents/many/sheet-11.md', '# Edited\n')
  await eventually(async () => {
    const { json } = await workroom.request('GET', docs)
    return json.documents.some(({ title }: { title: string }) => title === 'Edited')
  })
})

t.test('a conflict copy is in a list that was sent before, and is later removed from it', async (t) => {
  const copiesOf = async (name: string) =>
    (await workroom.request('GET', docs)).json.documents.find(
      ({ filename }: { filename: string }) => filename === `many/${name}.md`,
    ).conflictCopies
  t.equal(await copiesOf('sheet-12'), undefined)
  const copy = 'sheet-12.sync-conflict-20260101-101010-ABCDEFG.md'
  const path = workroom.write(`documents/many/${copy}`, '# Sheet 12\n')
  t.strictSame(await copiesOf('sheet-12'), [copy])
  rmSync(path)
  t.equal(await copiesOf('sheet-12'), undefined)
})

t.test('a list that was sent to a member is refused to somebody outside of the project', async (t) => {
  const outsider = await workroom.addMember({ name: 'Eve', type: 'human', role: 'member' })
  t.equal((await workroom.request('GET', docs)).status, 200)
  t.equal((await workroom.request('GET', docs, { key: outsider.key })).status, 403)
})

t.test(
  'posts are listed by their last activity, and a published draft is no longer in its list',
  async (t) => {
    const general = '/v1/fs/projects/general'
    const titlesIn = async (list: string) =>
      (await workroom.request('GET', `${general}/${list}`)).json.posts.map(
        ({ title }: { title: string }) => title,
      )
    const write = async (path: string, title: string) => {
      workroom.clock.advance(1000)
      return (await workroom.request('PUT', `${general}/${path}.md`, { body: `# ${title}\n` })).json
    }
    const first = await write('posts/first', 'First')
    await write('posts/second', 'Second')
    const draft = await write('drafts/third', 'Third')
    t.strictSame(await titlesIn('posts'), ['Second', 'First'])
    t.strictSame(await titlesIn('drafts'), ['Third'])
    workroom.clock.advance(1000)
    await workroom.request('POST', `/v1/posts/${first.id}/comments`, { body: { body: 'Yes.' } })
    t.strictSame(await titlesIn('posts'), ['First', 'Second'])
    workroom.clock.advance(1000)
    await workroom.request('POST', `${general}/drafts/${draft.filename}/_publish`)
    t.strictSame(await titlesIn('drafts'), [])
    t.strictSame(await titlesIn('posts'), ['Third', 'First', 'Second'])
  },
)
