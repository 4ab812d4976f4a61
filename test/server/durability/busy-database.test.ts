import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { basicAuthorization } from '../../support/dav-client.ts'
import { openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const kept = await workroom.put('Kept')
const grace = await workroom.addMember({ name: 'Grace', type: 'human', role: 'member' }, 'general')

const general = '/v1/fs/projects/general'
const skill = { 'SKILL.md': '---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n' }
const versions = { expectedVersion: 0, expectedDraftRevision: 0 }

/** Writes of every kind of resource: method, path and body. */
const writes: [method: string, path: string, body?: string | object][] = [
  ['POST', '/v1/projects', { name: 'Garden' }],
  ['POST', '/v1/fs/projects', { name: 'Orchard' }],
  ['PATCH', '/v1/projects/general', { name: 'Common' }],
  ['POST', '/v1/projects/general/members', { memberId: grace.member.id, role: 'lead' }],
  ['DELETE', `/v1/projects/general/members/${grace.member.id}`],
  ['PUT', `${general}/docs/new.md`, '# New\n'],
  ['PUT', kept.path, '# Kept\n\nChanged.\n'],
  ['DELETE', kept.path],
  ['PUT', `${general}/links.md`, '- [Home](https://example.org/)\n'],
  ['PUT', `${general}/plan.md`, '# Goal\n\nFinish.\n'],
  ['PUT', '/dav/projects/general/documents/mounted.md', '# Mounted\n'],
  ['POST', '/v1/posts', { project: 'general', title: 'News', body: 'News.' }],
  ['POST', '/v1/skills', { project: 'general', name: 'tidy', files: skill, ...versions }],
  ['POST', '/api/rooms', { name: 'Tea', type: 'open' }],
  ['PATCH', '/api/rooms/general', { description: 'Everything' }],
  ['POST', '/api/rooms/general/messages', { body: 'Hello' }],
  ['POST', '/api/members', { name: 'Bot', type: 'agent' }],
  ['PATCH', `/api/members/${grace.member.id}`, { role: 'admin' }],
  ['POST', '/api/invites', {}],
  ['POST', '/api/asks', { project: 'general', title: 'Sort' }],
]

/** Runs something while another process holds a write transaction. */
async function whileBusy<T>(t: Test, run: () => Promise<T>): Promise<T> {
  const other = new Sqlite(join(workroom.home, '.workroom', 'workroom.db'))
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const result = await run()
  other.exec('ROLLBACK')
  return result
}

t.test('while another process holds the database, writes are 503 and say when to try again', async (t) => {
  const auth = { headers: { Authorization: basicAuthorization(workroom.owner.key) }, key: undefined }
  const send = ([method, path, body]: (typeof writes)[number]) =>
    workroom.request(method, path, { body, ...(path.startsWith('/dav/') && auth) })
  const responses = await whileBusy(t, () => Promise.all(writes.map(send)))
  for (const [index, { status, headers, text }] of responses.entries()) {
    const what = writes[index]!.slice(0, 2).join(' ')
    t.match([status, headers['retry-after']], [503, '5'], what)
    t.match(text, /Nothing was written, because another process holds the database/, what)
  }
  const faults = workroom.log.lines.filter(({ level, fields }) => level === 'error' && 'requestId' in fields)
  t.strictSame(faults, [], 'no internal error is logged')
  t.equal((await workroom.request('GET', '/v1/projects')).json.projects.length, 1)
  t.equal((await workroom.request('POST', '/v1/projects', { body: { name: 'Garden' } })).status, 201)
})
