import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { databasePath } from '../../../data/home.ts'
import { databaseChanges } from '../../support/database-changes.ts'
import { openDocumentPresence } from '../../support/document-presence.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { LiveEditor, signInForEditing } from '../../support/live-editor.ts'
import { openProjectFolder } from '../../support/project-folder.ts'
import { renameMember } from '../../support/rename-member.ts'

const presence = await openDocumentPresence(t)
const {
  workroom,
  markdown,
  grace,
  bot,
  sendHeartbeat,
  leave,
  presentIn,
  namesIn,
  blockOf,
  blocksOf,
  blockAt,
} = presence
const { request, clock, home, owner, workspace } = workroom
const project = '/v1/fs/projects/general'

t.test('an entry is valid for 90 seconds, and each call starts them again', async (t) => {
  const { path } = await workroom.put('Ninety')
  await leave(path)
  const here = async () => {
    const { json } = await leave(path, { key: bot.key })
    return json.here.length
  }
  await sendHeartbeat(path, '', { key: grace.key })
  clock.advance(89_999)
  t.equal(await here(), 1)
  clock.advance(1)
  t.equal(await here(), 0)
  await sendHeartbeat(path, '', { key: grace.key })
  clock.advance(60_000)
  await sendHeartbeat(path, '', { key: grace.key })
  clock.advance(60_000)
  t.equal(await here(), 1)
})

t.test('a present member stays at a block after a PUT, a block write and an edit on the disk', async (t) => {
  const { id, path } = await workroom.put('Following', 'One.\n\nTwo.\n\n- item\n', { key: bot.key })
  await sendHeartbeat(path, `?kind=viewing&block=${await blockAt(path, 'Two.')}`, { key: grace.key })
  const grace_ = () => blockOf(id, 'Grace Hopper')

  await request('PUT', path, { body: '# Following\n\nZero.\n\nOne.\n\nDue.\n\n- item\n' })
  t.equal(await grace_(), await blockAt(path, 'Due.'), 'a whole file')

  await request('PUT', `${path}?block=${await blockAt(path, 'Due.')}`, { body: 'Tre.' })
  t.equal(await grace_(), await blockAt(path, 'Tre.'), 'their own block')

  await request('PUT', `${path}?block=${await blockAt(path, 'One.')}`, { body: 'Uno.\n\nMore.' })
  t.equal(await grace_(), await blockAt(path, 'Tre.'), 'another block')

  workroom.write('documents/following.md', '# Following\n\nZero.\n\nUno.\n\nMore.\n\nBy hand.\n\n- item\n')
  const [, , written] = [await request('GET', path), clock.advance(10), await blockAt(path, 'By hand.')]
  t.equal(await grace_(), written, 'an edit on the disk')
  t.match(
    (await presentIn(id)).find(({ name }: { name: string }) => name === 'Grace Hopper'),
    { kind: 'viewing', lastSeenAt: clock.now() - 10 },
    'an edit is not a call of theirs',
  )

  await request('PUT', `${path}?block=${await blockAt(path, 'Zero.')}`, { body: 'Null.' })
  await sendHeartbeat(path, `?block=${await blockAt(path, 'Null.')}`, { key: grace.key })
  await request('POST', `${path}/_restore`, {
    body: { revision: (await workroom.revisions(path))[0]!.revision },
  })
  t.equal(await grace_(), await blockAt(path, 'One.'), 'an older revision')

  await request('PUT', path, { body: '# Following\n\n- item\n' })
  t.equal(await grace_(), null, 'at no block after the block was removed')
  t.ok((await namesIn(id)).includes('Grace Hopper'))
})

t.test('a block that only moved keeps its id, and the members at it stay there', async (t) => {
  const { id, path } = await workroom.put('Moving', 'One.\n\nTwo.\n\nThree.\n')
  const block = await blockAt(path, 'Three.')
  await sendHeartbeat(path, `?block=${block}`, { key: grace.key })
  await request('PUT', path, { body: '# Moving\n\nThree.\n\nOne.\n\nTwo.\n' })
  t.equal(await blockOf(id, 'Grace Hopper'), block)
})

t.test('a write over HTTP makes its author present as editing', async (t) => {
  const { id, path } = await workroom.put('Written', 'One.\n\nTwo.\n', { key: bot.key })
  const bot_ = { memberId: bot.member.id, name: 'Bot', type: 'agent', kind: 'editing' }
  t.strictSame(await presentIn(id), [{ ...bot_, block: null, lastSeenAt: clock.now() }])

  clock.advance(60_000)
  await sendHeartbeat(path, `?kind=viewing&block=${await blockAt(path, 'Two.')}`, { key: bot.key })
  clock.advance(60_000)
  await request('PUT', path, { key: bot.key, body: '# Written\n\nOne.\n\nDue.\n' })
  const due = await blockAt(path, 'Due.')
  t.strictSame(await presentIn(id), [{ ...bot_, block: due, lastSeenAt: clock.now() }], 'at the same block')

  clock.advance(60_000)
  t.equal(
    (await request('PUT', path, { key: bot.key, body: '# Written\n\nOne.\n\nDue.\n' })).json.changed,
    false,
  )
  t.strictSame(await presentIn(id), [{ ...bot_, block: due, lastSeenAt: clock.now() }], 'the same bytes')

  clock.advance(60_000)
  const [first] = await workroom.revisions(path)
  await request('POST', `${path}/_restore`, { key: bot.key, body: { revision: first!.revision } })
  const two = await blockAt(path, 'Two.')
  t.strictSame(
    await presentIn(id),
    [{ ...bot_, block: two, lastSeenAt: clock.now() }],
    'also after a restore',
  )

  clock.advance(90_000)
  await request('PUT', path, { key: bot.key, body: '# Written\n\nOne.\n\nTre.\n' })
  t.strictSame(
    await presentIn(id),
    [{ ...bot_, block: null, lastSeenAt: clock.now() }],
    'an expired entry has no effect',
  )
})

t.test('the author of a block write is at that block, by its new id', async (t) => {
  const { id, path } = await workroom.put('Block by block', 'One.\n\nSame.\n\nSame.\n\nSame.\n')
  const write = async (block: string, body: string) => {
    t.equal((await request('PUT', `${path}?block=${block}`, { key: grace.key, body })).status, 201)
    return blockOf(id, 'Grace Hopper')
  }
  t.equal(await write((await blockAt(path, 'One.')).toUpperCase(), 'Uno.'), await blockAt(path, 'Uno.'))
  t.equal(await write(await blockAt(path, 'Uno.'), 'Uno.'), await blockAt(path, 'Uno.'), 'the same bytes')
  t.equal(await write(await blockAt(path, 'Uno.'), '## Part'), await blockAt(path, '## Part'), 'another type')
  const same = await blockAt(path, 'Same.')
  t.equal(await write(`${same}.2`, 'Other.'), await blockAt(path, 'Other.'), 'one of several equal blocks')
  t.equal(
    await write(await blockAt(path, 'Other.'), '> a\n\nOther!'),
    await blockAt(path, 'Other!'),
    'several blocks',
  )
})

t.test('a write that is refused makes nobody present', async (t) => {
  const { id, path } = await workroom.put('Refused', 'One.\n')
  await leave(path)
  const refusals = [
    await request('PUT', path, { body: '# Refused\n\nTwo.\n', headers: { 'If-Match': '"0"' } }),
    await request('PUT', path, { body: 'No title.\n' }),
    await request('PUT', `${path}?block=k0000000`, { body: 'Two.' }),
    await request('POST', `${path}/_restore`, { body: { revision: 'x' } }),
  ]
  t.strictSame(
    refusals.map(({ status }) => status),
    [409, 422, 409, 404],
  )
  t.strictSame(await presentIn(id), [])
})

t.test('an edit on the disk and a scheduled publication make nobody present', async (t) => {
  workroom.write('documents/by-hand.md', '# By hand\n')
  const { documentId } = await workroom.waitForEventAt('by-hand.md')
  workroom.write('documents/by-hand.md', '# By hand\n\nMore.\n')
  await workroom.waitForEvents(documentId, 2)
  t.strictSame(await presentIn(documentId), [])

  const body = `---\nscheduledFor: ${clock.now() + 1000}\n---\n# On time\n`
  const draft = (await request('PUT', `${project}/drafts/on-time.md`, { body })).json
  clock.advance(1000)
  await workroom.eventually(async () => (await request('GET', `${project}/posts/on-time`)).status === 200)
  t.strictSame(await presentIn(draft.id), [])
})

t.test('after a new title, everybody is still present', async (t) => {
  const { id, path } = await workroom.put('Before', 'Text.\n')
  const block = await blockAt(path, 'Text.')
  await sendHeartbeat(path, `?block=${block}`, { key: grace.key })
  const renamed = (await request('PUT', path, { body: '# After\n\nText.\n' })).json
  t.equal(await blockOf(id, 'Grace Hopper'), block)
  const { documents } = (await request('GET', '/v1/presence')).json
  t.match(
    documents.find(({ docId }: { docId: string }) => docId === id),
    { title: 'After', filename: 'after.md', path: renamed.path },
  )
  await rename(workroom.at('documents/after.md'), workroom.at('documents/by-hand-again.md'))
  await workroom.waitForEvents(id, 3)
  t.equal(await blockOf(id, 'Grace Hopper'), block, 'also after a rename on the disk')
})

t.test('a deleted document has nobody present, also after it is restored', async (t) => {
  const { id, path } = await workroom.put('Deleted')
  await sendHeartbeat(path, '', { key: grace.key })
  await request('DELETE', path)
  t.strictSame(await presentIn(id), [])
  t.equal((await sendHeartbeat(path)).status, 404)
  await request('POST', `${project}/trash/${id}/_restore`)
  t.strictSame(await presentIn(id), [])
  t.match((await sendHeartbeat(path, '', { key: grace.key })).json, {
    document: { id },
    here: [{ name: 'Grace Hopper' }],
  })

  await rm(workroom.at('documents/deleted.md'))
  await workroom.passDeletionDelay()
  t.strictSame(await namesIn(id), [])
})

t.test('a document that is moved to the posts on the disk has nobody present', async (t) => {
  const { id, path } = await workroom.put('Becoming')
  await sendHeartbeat(path)
  const post = workroom.write('posts/2026-01-01-other.md', '# Other\n')
  await rename(workroom.at('documents/becoming.md'), join(dirname(post), '2026-01-02-becoming.md'))
  await workroom.waitForEvents(id, 2)
  t.strictSame(await presentIn(id), [])
})

t.test('a deactivated member is present in no document', async (t) => {
  const gone = await workroom.addMember({ name: 'Gone', type: 'human' }, 'general')
  const { id, path } = await workroom.put('Deactivated')
  await sendHeartbeat(path, '', { key: gone.key })
  t.ok((await namesIn(id)).includes('Gone'))
  await workspace.stores.members.setStatus(gone.member.id, 'deactivated')
  t.notOk((await namesIn(id)).includes('Gone'))
  t.strictSame(
    (await sendHeartbeat(path)).json.here.map(({ name }: { name: string }) => name),
    ['Ada'],
  )
})

t.test('presence shows the current names', async (t) => {
  const member = await workroom.addMember({ name: 'Early', type: 'human' }, 'general')
  const { id, path } = await workroom.put('Names')
  await sendHeartbeat(path, '', { key: member.key })
  await renameMember(home, member.member.id, 'Late')
  t.strictSame(await namesIn(id), ['Late', 'Ada'])
})

t.test('a former member of the project is present in none of its documents, not even an admin', async (t) => {
  const leaver = await workroom.addMember({ name: 'Leaver', type: 'human' }, 'general')
  const admin = await workroom.addMember({ name: 'Admin', type: 'human', role: 'admin' }, 'general')
  const { id, path } = await workroom.put('Left')
  for (const { key } of [leaver, admin]) await sendHeartbeat(path, '', { key })
  t.strictSame(await namesIn(id), ['Admin', 'Leaver', 'Ada'])
  await leaveProject(home, workspace.stores.projects.find('general')!.id, leaver.member.id)
  t.strictSame(await namesIn(id), ['Admin', 'Ada'])
  await leaveProject(home, workspace.stores.projects.find('general')!.id, admin.member.id)
  t.strictSame(await namesIn(id), ['Ada'])
  for (const { key } of [leaver, admin]) t.equal((await sendHeartbeat(path, '', { key })).status, 403)
})

t.test('an open editor shows the block that an agent works at', async (t) => {
  const { path, id } = await workroom.put('Shared')
  const editor = new LiveEditor(workroom, id, await signInForEditing(workroom, owner.key))
  await editor.connect()
  t.teardown(() => editor.disconnect())
  const block = (await blocksOf(path)).at(-1)!.id
  await sendHeartbeat(path, `?block=${block}`, { key: bot.key })
  await sendHeartbeat(path, '', { key: grace.key })
  const clientId = `presence:${bot.member.id}`
  t.match(await editor.waitForMessage('joined'), { clientId, member: { name: 'Bot', kind: 'agent' }, block })
  await leave(path, { key: bot.key })
  t.match(await editor.waitForMessage('left'), { clientId })
  const shown = editor.messages.filter(({ type }) => type === 'joined')
  t.equal(shown.length, 1, 'people are shown only by their own editors')
  await leave(path, { key: grace.key })
})

t.test('presence writes nothing to the disk, and is lost when the server stops', async (t) => {
  const own = await openProjectFolder(t, { faults: { markdown } })
  const { path } = await own.put('Memory')
  const db = new Sqlite(databasePath(own.home), { readonly: true })
  t.teardown(() => db.close())
  const promises = db.prepare('SELECT count(*) FROM journal').pluck()
  await own.eventually(() => promises.get() === 0)
  const changes = databaseChanges(own.home)
  t.teardown(() => changes.close())
  const before = changes.state()
  for (const query of ['', '?kind=viewing&block=k0000000', '?leave', ''])
    t.equal((await own.request('POST', `${path}/_presence${query}`)).status, 200)
  t.match((await own.request('GET', '/v1/presence')).json.documents, [{ here: [{ name: 'Ada' }] }])
  t.strictSame(changes.state(), before)
  await own.restart()
  t.strictSame((await own.request('GET', '/v1/presence')).json.documents, [])
})
