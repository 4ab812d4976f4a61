import t, { type Test } from 'tap'
import { eventLog } from '../../../data/tables/event-log.ts'
import { type EventRecord, eventsTable } from '../../../data/tables/events.ts'
import { keysTable } from '../../../data/tables/keys.ts'
import { membersTable } from '../../../data/tables/members.ts'
import { projectMembersTable } from '../../../data/tables/project-members.ts'
import { projectsTable } from '../../../data/tables/projects.ts'
import { roomMembersTable } from '../../../data/tables/room-members.ts'
import { roomsTable } from '../../../data/tables/rooms.ts'
import { memberRow, populatedConnection, projectRow, roomRow } from './fresh-connection.ts'

/** Two members, a room, a project and their event log. */
function open(t: Test) {
  const db = populatedConnection(t)
  membersTable(db).insert({ ...memberRow('mem_2'), role: 'admin' })
  roomsTable(db).insert(roomRow('room_1'))
  const events = eventsTable(db)
  events.begin('epoch')
  return { db, events, log: eventLog(db) }
}

const event = (tick: number, place: Partial<EventRecord>): EventRecord => ({
  tick,
  type: 'doc.write',
  atMs: tick,
  actorId: 'mem_1',
  projectId: null,
  documentId: null,
  roomId: null,
  messageId: null,
  askerId: null,
  via: 'api',
  detail: '{}',
  ...place,
})

t.test('every change of a member’s access is recorded with the member', async (t) => {
  const { db, log } = open(t)
  const rooms = roomMembersTable(db)
  const projects = projectMembersTable(db)
  const members = membersTable(db)
  const keys = keysTable(db)
  const key = { id: 'key_1', memberId: 'mem_1', hash: Buffer.alloc(32), label: '', scopes: [], createdMs: 1 }
  keys.insert({ ...key, lastUsedMs: null, expiresMs: null })
  const inRoom = { roomId: 'room_1', memberId: 'mem_1', involvement: 'everything' as const, joinedMs: 1 }
  const inProject = { projectId: 'prj_1', memberId: 'mem_1', role: 'member' as const, joinedMs: 1 }

  const changes: [what: string, change: () => unknown, whose: string[]][] = [
    ['joins a room', () => rooms.add(inRoom), ['mem_1']],
    ['joins it again', () => rooms.add(inRoom), []],
    ['sets the involvement', () => rooms.setInvolvement('room_1', 'mem_1', 'nothing'), ['mem_1']],
    ['leaves it', () => rooms.remove('room_1', 'mem_1'), ['mem_1']],
    ['joins a project', () => projects.put(inProject), ['mem_1']],
    ['leaves it', () => db.exec("DELETE FROM project_members WHERE member_id = 'mem_1'"), ['mem_1']],
    ['is made an admin', () => members.update({ ...memberRow('mem_1'), role: 'admin' }), ['mem_1']],
    ['a project is made, which nobody is in', () => projectsTable(db).insert(projectRow('prj_2')), []],
    ['is no admin any more', () => members.update(memberRow('mem_1')), ['mem_1']],
    ['is renamed', () => members.update(memberRow('mem_1', 'Grace')), []],
    ['is deactivated', () => members.update({ ...memberRow('mem_1'), status: 'deactivated' }), ['mem_1']],
    ['uses a key', () => keys.touch('key_1', 5), []],
    ['loses a key', () => keys.remove('key_1'), ['mem_1']],
  ]
  for (const [what, change, whose] of changes) {
    const before = log.state().change
    change()
    t.same(log.membersChangedSince(before).toSorted(), whose, what)
    t.equal(log.state().change > before, whose.length > 0)
  }
})

t.test('a change of access that is rolled back is not recorded', async (t) => {
  const { db, log } = open(t)
  const before = log.state()
  const room = { roomId: 'room_1', memberId: 'mem_1', involvement: 'everything' as const, joinedMs: 1 }
  t.throws(() =>
    db.transaction(() => {
      roomMembersTable(db).add(room)
      throw new Error('refused')
    })(),
  )
  t.same(log.state(), before)
})

t.test(
  'old events of documents are removed in several small steps, and the last tick stays as it was',
  async (t) => {
    const { events, log, db } = open(t)
    db.exec(
      `INSERT INTO messages (id, room_id, author_id, body, sent_ms) VALUES ('msg_1', 'room_1', 'mem_1', 'x', 1)`,
    )
    db.pragma('foreign_keys = OFF')
    events.add(event(1, { roomId: 'room_1', messageId: 'msg_1', type: 'message' }))
    for (const tick of [2, 3, 4, 5])
      events.add(event(tick, { projectId: 'prj_1', documentId: `doc_${tick}` }))
    events.setLastTick(5)
    t.equal(log.oldestOfDocumentsMs(), 2)
    t.equal(log.trimDocuments(5, 2), 2)
    t.same(log.state(), { tick: 5, change: 0, trimmedTick: 3 })
    t.equal(log.trimDocuments(5, 2), 1)
    t.equal(log.trimDocuments(5, 2), 0)
    t.equal(log.trimDocuments(99, 2), 1, 'even the newest')
    t.same(log.state(), { tick: 5, change: 0, trimmedTick: 5 })
    t.equal(log.oldestOfDocumentsMs(), null)
    t.same(
      log.between(0, 9, 10).map(({ tick }) => tick),
      [1],
      'events of messages stay',
    )
  },
)

t.test('the events of a room, project or document are read by an index', async (t) => {
  const { events, log, db } = open(t)
  db.pragma('foreign_keys = OFF')
  events.add(event(1, { roomId: 'room_1', messageId: 'msg_1' }))
  events.add(event(2, { projectId: 'prj_1', documentId: 'doc_1' }))
  events.add(event(3, { projectId: 'prj_1', documentId: 'doc_2' }))
  const ticks = (
    ...[kind, id]: Parameters<typeof log.betweenIn> extends [infer A, infer B, unknown] ? [A, B] : never
  ) => log.betweenIn(kind, id, { after: 0, upTo: 9, limit: 9 }).map(({ tick }) => tick)
  t.same(ticks('room', 'room_1'), [1])
  t.same(ticks('project', 'prj_1'), [2, 3])
  t.same(ticks('document', 'doc_2'), [3])
  t.same(log.betweenIn('project', 'prj_1', { after: 2, upTo: 2, limit: 9 }), [])
  t.same(log.firstTicksIn('project', ['prj_0', 'prj_1'], { after: 2, upTo: 9 }), [{ id: 'prj_1', tick: 3 }])
  t.same(log.firstTicksIn('room', ['room_1'], { after: 1, upTo: 9 }), [])
  for (const column of ['room_id', 'project_id', 'document_id', 'asker_id']) {
    const [{ detail }] = db
      .prepare<[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT * FROM events WHERE ${column} = 'x' AND tick > 1 AND tick <= 2 ORDER BY tick LIMIT 3`,
      )
      .all() as [{ detail: string }]
    t.match(detail, /USING INDEX events_\w+ \(\w+=\? AND tick>\? AND tick<\?\)/)
  }
})
