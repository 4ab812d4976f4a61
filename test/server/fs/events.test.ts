import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home, owner, clock } = workroom
const project = '/v1/fs/projects/general'
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')

const put = async (path: string, body: string, key = owner.key) =>
  (await request('PUT', path, { body, key })).json
const eventsOfDocument = (id: string) => eventsOf(home).filter(({ documentId }) => documentId === id)

t.test('each write appends one doc.write, with its actor, its counts and the path to read', async (t) => {
  const first = await put(`${project}/docs/plan.md`, '# Plan\n\nOne.\n')
  clock.advance(1000)
  const second = await put(first.path, '# Plan\n\nTwo.\n', grace.key)
  const renamed = await put(first.path, '# Road map\n\nTwo.\n')
  const events = eventsOfDocument(first.id)
  t.match(events, [
    {
      type: 'doc.write',
      actorId: owner.member.id,
      via: 'api',
      detail: { docType: 'note', title: 'Plan', path: first.path, changed: true, blockIds: first.blockIds },
    },
    { type: 'doc.write', actorId: grace.member.id, atMs: clock.now(), detail: { blockIds: second.blockIds } },
    { type: 'doc.write', detail: { title: 'Road map', path: renamed.path, previousPath: first.path } },
  ])
  t.equal(events.length, 3)
  for (const [index, { tick }] of events.entries()) {
    if (index > 0) t.ok(tick > events[index - 1]!.tick, 'cursors increase')
    t.match(String(tick).slice(-3), /^[0-4]{3}$/)
  }
})

t.test('a write or call that stores nothing appends nothing', async (t) => {
  const { path, id } = await put(`${project}/docs/quiet.md`, '# Quiet\n\nText.\n')
  const before = eventsOf(home).length
  const read = await request('GET', path)
  await put(path, '# Quiet\n\nText.\n')
  await put(path, read.text)
  const { blocks } = (await request('GET', `${path}?view=blocks`)).json
  await put(`${path}?block=${blocks.at(-1).id}`, 'Text.')
  await put(`${path}?block=k0000000`, 'Text.')
  await put(path, 'no title')
  await request('PUT', path, { body: '# Quiet\n', headers: { 'If-Match': '"00000000000000000000"' } })
  await request('POST', `${path}/_restore`, { body: { revision: read.headers['x-service-revision'] } })
  t.equal(eventsOf(home).length, before)
  t.equal(eventsOfDocument(id).length, 1)
})

t.test('a deletion is one doc.delete, and a restore is one doc.write', async (t) => {
  const { path, id } = await put(`${project}/docs/gone.md`, '# Gone\n')
  await request('DELETE', path, { key: owner.key })
  await request('POST', `${project}/trash/${id}/_restore`)
  const [, deleted, back] = eventsOfDocument(id)
  t.match(deleted, { type: 'doc.delete', actorId: owner.member.id, detail: { path, deleted: true } })
  t.notOk('changed' in deleted!.detail || 'blockIds' in deleted!.detail)
  t.match(back, { type: 'doc.write', detail: { path, changed: true } })
})

t.test('a move of a card and a publication are one doc.write each, with the old path', async (t) => {
  const card = await put(`${project}/board/todo/c.md`, '# Card\n')
  const moved = (await request('POST', `${card.path}/_move`, { body: { toColumn: 'done' } })).json
  await request('POST', `${moved.path}/_move`, { body: { toColumn: 'done' } })
  t.match(eventsOfDocument(card.id), [
    { detail: { docType: 'card' } },
    { detail: { path: moved.path, previousPath: card.path } },
  ])
  t.equal(eventsOfDocument(card.id).length, 2)

  const draft = await put(`${project}/drafts/d.md`, '# Draft\n')
  const post = (await request('POST', `${draft.path}/_publish`)).json
  t.match(eventsOfDocument(draft.id), [
    { detail: { docType: 'post', path: draft.path } },
    { detail: { docType: 'post', path: post.path, previousPath: draft.path } },
  ])
  const timed = await put(
    `${project}/drafts/t.md`,
    `---\nscheduledFor: ${clock.now() + 1000}\n---\n# Timed\n`,
    grace.key,
  )
  clock.advance(1000)
  await workroom.eventually(() => eventsOfDocument(timed.id).length === 2)
  t.match(eventsOfDocument(timed.id)[1], { via: 'schedule', actorId: grace.member.id })
})
