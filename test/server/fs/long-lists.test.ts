import { mkdirSync } from 'node:fs'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

const desk = await openProjectFolder(t)
const count = 450

t.test('a list of many documents is one JSON answer like a short one', async (t) => {
  mkdirSync(desk.at('documents'), { recursive: true })
  const { headers: short } = await desk.request('GET', docs)
  for (let n = 0; n < count; n++) desk.write(`documents/many/sheet-${n}.md`, `# Sheet ${n} "quoted"\n`)
  const answer = await eventually(async () => {
    const answer = await desk.request('GET', docs)
    return answer.json.documents.length >= count ? answer : null
  })
  t.equal(answer.status, 200)
  t.equal(answer.headers['content-type'], short['content-type'])
  t.equal(Number(answer.headers['content-length']), Buffer.byteLength(answer.text))
  const { project, documents } = answer.json
  t.equal(project, 'general')
  const sheet = documents.find(({ filename }: { filename: string }) => filename === 'many/sheet-7.md')
  t.match(sheet, {
    title: 'Sheet 7 "quoted"',
    bytes: 19,
    path: `/v1/fs/projects/general/library/documents/many/sheet-7.md`,
  })
  const head = await desk.request('HEAD', docs)
  t.equal(head.headers['content-length'], answer.headers['content-length'])
})

t.test('a row that was listed before shows what has changed since', async (t) => {
  const row = async (name: string) =>
    (await desk.request('GET', docs)).json.documents.find(
      ({ filename }: { filename: string }) => filename === `many/${name}.md`,
    )
  const before = await row('sheet-8')
  t.match(before, { title: 'Sheet 8 "quoted"', author: 'Ada' })
  await desk.request('PATCH', `/api/members/${desk.owner.member.id}`, { body: { name: 'Ada Lovelace' } })
  t.match(await row('sheet-8'), { author: 'Ada Lovelace' })
  await desk.request('PUT', `${docs}/many/sheet-8.md`, { body: '# Sheet 8 "quoted"\n\nRevised.\n' })
  const after = await row('sheet-8')
  t.match(after, { id: before.id, bytes: 29 })
  t.ok(after.lastEditedAt >= before.lastEditedAt)
  desk.write('documents/many/sheet-9.sync-conflict-20260101-101010-ABCDEFG.md', '# Sheet 9\n')
  await desk.scan()
  t.match(await row('sheet-9'), {
    conflictCopies: ['sheet-9.sync-conflict-20260101-101010-ABCDEFG.md'],
  })
})
