import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Connection } from '../../../data/database.ts'
import { databasePath } from '../../../data/home.ts'
import { openDatabase } from '../../../data/open-database.ts'
import { usageTables } from '../../../data/tables/usage.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startWorkroom } from '../../support/workroom.ts'

const path = '/v1/fs/audit/usage.md'
const dayMs = 24 * 60 * 60 * 1000
const noon = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2
const clock = new TestClock(noon - 31 * dayMs)
const workroom = await startWorkroom(t, { clock })
const { request, addMember, home, owner, workspace } = workroom
const grace = await addMember({ name: 'Grace | Hopper', type: 'human' }, 'general')
const bot = await addMember({ name: 'Bot', type: 'agent', scopes: ['projects:read'] }, 'general')
const docs = '/v1/fs/projects/general/docs'

/** The cells of the rows of a section’s table, without its header. */
const rows = (text: string, section: string): string[][] => {
  const table = text.split(`\n## ${section}\n\n`)[1]!.split('\n\n')[0]!
  const cells = (line: string) => line.slice(2, -2).split(/(?<!\\) \| /)
  return table.split('\n').slice(2).map(cells)
}
const report = async () => (await request('GET', path)).text
const rowOf = (text: string, section: string, first: string) =>
  rows(text, section).find(([cell]) => cell === first)

t.test('writes are counted by member and by day, over 7 and over 30 days', async (t) => {
  const write = (n: number, key: string) => request('PUT', `${docs}/x.md`, { key, body: `# X\n\n${n}\n` })
  await write(1, grace.key)
  clock.set(noon - 29 * dayMs)
  await write(2, grace.key)
  clock.set(noon - 7 * dayMs)
  await write(3, grace.key)
  clock.set(noon - 6 * dayMs)
  await write(4, grace.key)
  await request('POST', '/api/rooms/general/join', { key: grace.key })
  await request('POST', '/api/rooms/general/messages', { key: grace.key, body: { body: 'Hello' } })
  clock.set(noon)
  const post = (await request('PUT', '/v1/fs/projects/general/posts/p.md', { body: '# P\n' })).json
  await request('POST', `/v1/posts/${post.id}/comments`, { key: grace.key, body: { body: 'Nice' } })

  const text = await report()
  t.match(text, `The workspace Testers at ${new Date(noon).toISOString()}.`)
  const lastUse = new Date(noon).toISOString()
  t.strictSame(rowOf(text, 'Members', 'Grace \\| Hopper'), [
    'Grace \\| Hopper',
    'human',
    'member',
    lastUse,
    '0.4',
    '0.2',
    '5',
  ])
  t.strictSame(rowOf(text, 'Members', 'Bot'), ['Bot', 'agent', 'member', 'never', '0.0', '0.0', '0'])
  const days = rows(text, 'Writes per day')
  t.equal(days.length, 30)
  const day = (ago: number) => [new Date(noon - ago * dayMs).toISOString().slice(0, 10)]
  t.strictSame(days[0], [...day(0), '1', '0', '1'])
  t.strictSame(days[6], [...day(6), '1', '1', '0'])
  t.strictSame(days[7], [...day(7), '1', '0', '0'])
  t.strictSame(days[29], [...day(29), '1', '0', '0'])
  t.strictSame(rowOf(text, 'Events', 'message'), ['message', '1'])
})

t.test('storage is added up by project, with deleted and uploaded files', async (t) => {
  const gone = (await request('PUT', `${docs}/gone.md`, { body: `# Gone\n\n${'x'.repeat(2000)}\n` })).json
  const before = rowOf(await report(), 'Storage', 'general')!
  await request('DELETE', gone.path)
  const project = join(home, 'projects/general')
  mkdirSync(join(project, 'files/deep'), { recursive: true })
  mkdirSync(join(project, 'attachments/doc_1'), { recursive: true })
  writeFileSync(join(project, 'files/deep/a.bin'), Buffer.alloc(1024))
  writeFileSync(join(project, 'attachments/doc_1/b.bin'), Buffer.alloc(512))
  symlinkSync('/etc/passwd', join(project, 'files/link'))
  await request('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  const text = await report()
  const [, documents, , revisions, revisionSize, files, fileSize] = rowOf(text, 'Storage', 'general')!
  t.equal(Number(documents), Number(before[1]) - 1)
  t.strictSame([revisions, revisionSize], before.slice(3, 5), 'revisions stay')
  t.strictSame([files, fileSize], ['2', '1.5 kB'], 'links are not followed')
  t.match(rowOf(text, 'Storage', 'other'), ['other', '1', /bytes|kB/, '1', /bytes|kB/, '0', '0 bytes'])
  t.match(text, /The database takes [\d.]+ (kB|MB)/)
})

t.test('deliveries are counted by state, and a webhook that fails for three days is named', async (t) => {
  const webhook = (
    await request('PUT', `/api/members/${bot.member.id}/webhook`, { body: { url: 'https://8.8.8.8/' } })
  ).status
  t.equal(webhook, 200)
  const beside = openDatabase(databasePath(home))
  const failing = beside.connection.prepare('UPDATE webhooks SET failures = 5, failing_since_ms = ?')
  await beside.commit(() => failing.run(noon - 3 * dayMs + 1))
  t.notMatch(await report(), 'Needs attention')
  t.match(rowOf(await report(), 'Webhooks', 'Bot'), ['Bot', '0', '0', '0', '0', '0', '5', /T12:00:00.001Z/])
  await beside.commit(() => failing.run(noon - 3 * dayMs))
  t.match(await report(), `## Needs attention\n\n- **Bot**: deliveries have failed for 3 days.`)
  await beside.close()
  t.match(await report(), 'Mail waiting to be sent: 0, of which after a failure: 0.')
})

t.test('only owners and admins read the report, and nobody writes it', async (t) => {
  for (const { key } of [grace, bot]) {
    t.match((await request('GET', path, { key })).json, { error: 'forbidden', message: /owner or admin/ })
  }
  await workspace.stores.members.change(grace.member.id, { role: 'admin' })
  const responses = await Promise.all([grace, owner].map(({ key }) => request('GET', path, { key })))
  t.equal(responses[0]!.text, responses[1]!.text, 'reads at the same time share one report')
  t.match(responses[0]!.headers, { 'content-type': 'text/markdown; charset=utf-8' })
  const put = await request('PUT', path, { body: 'x' })
  t.match([put.status, put.headers.allow], [405, 'GET, HEAD'])
  t.equal((await request('PUT', `${path}?block=k1234567`, { body: 'x' })).status, 422)
  t.equal((await request('GET', `${path}?view=blocks`)).status, 422)
})

t.test('queries on large tables read only an index, not the rows with their text', async (t) => {
  const database = openDatabase(databasePath(home))
  const db = database.connection
  const statements: string[] = []
  const prepare = (sql: string) => {
    statements.push(sql)
    return db.prepare(sql)
  }
  usageTables({ prepare, pragma: db.pragma.bind(db) } as unknown as Connection)
  const large = statements.filter((sql) => /FROM (revisions|messages|comments|deliveries)\b/.test(sql))
  t.equal(large.length, 5)
  for (const sql of large) {
    const parameters = [...sql.matchAll(/\?/g)].map(() => 1)
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[]
    t.match(plan[0]!.detail, /SEARCH .* USING COVERING INDEX \w+_(usage|size)/, sql)
  }
  await database.close()
})
