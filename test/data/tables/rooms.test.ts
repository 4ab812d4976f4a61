import t from 'tap'
import { membersTable } from '../../../data/tables/members.ts'
import { roomMembersTable } from '../../../data/tables/room-members.ts'
import { roomsTable } from '../../../data/tables/rooms.ts'
import { memberRow, populatedConnection, roomRow } from './fresh-connection.ts'

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

t.test('a room is found by its id and its unique slug', async (t) => {
  const rooms = roomsTable(populatedConnection(t))
  rooms.insert({ ...roomRow('room_1'), slug: 'lobby' })
  t.equal(rooms.find('room_1')!.slug, 'lobby')
  t.equal(rooms.findBySlug('lobby')!.id, 'room_1')
  t.equal(rooms.find('lobby'), undefined)
  t.equal(rooms.findBySlug('room_1'), undefined)
  t.throws(() => rooms.insert({ ...roomRow('room_2'), slug: 'lobby' }), /UNIQUE/)
  const attic = { ...roomRow('room_1'), slug: 'attic', name: 'Attic', description: 'Up' }
  t.ok(rooms.update(attic))
  t.match(rooms.find('room_1'), { slug: 'attic', name: 'Attic', description: 'Up', type: 'open' })
  t.notOk(rooms.update({ ...attic, id: 'room_2', slug: 'x' }))
})

t.test('only one room welcomes people', async (t) => {
  const rooms = roomsTable(populatedConnection(t))
  t.equal(rooms.welcoming(), undefined)
  rooms.insert(roomRow('room_1'))
  rooms.insert({ ...roomRow('room_2'), welcomesPeople: 1 })
  t.equal(rooms.welcoming()!.id, 'room_2')
  t.throws(() => rooms.insert({ ...roomRow('room_3'), welcomesPeople: 1 }), /UNIQUE/)
})

t.test('a member’s rooms, and the open rooms that they can join, are listed oldest first', async (t) => {
  const db = populatedConnection(t)
  const rooms = roomsTable(db)
  for (const [n, type] of ['open', 'closed', 'open', 'direct', 'open'].entries())
    rooms.insert({ ...roomRow(`room_${n}`), type: type as 'open', createdMs: 9 - n })
  for (const room of ['room_0', 'room_1', 'room_3'])
    roomMembersTable(db).add({ roomId: room, memberId: 'mem_1', involvement: 'everything', joinedMs: 1 })
  t.same(ids(rooms.joinedBy('mem_1')), ['room_3', 'room_1', 'room_0'])
  t.same(ids(rooms.openToJoin('mem_1')), ['room_4', 'room_2'])
  t.same(ids(rooms.joinedBy('mem_2')), [])
  t.same(ids(rooms.openToJoin('mem_2')), ['room_4', 'room_2', 'room_0'])
})

t.test('the members of a room are listed once each, in the order of joining', async (t) => {
  const db = populatedConnection(t)
  const roomMembers = roomMembersTable(db)
  roomsTable(db).insert(roomRow('room_1'))
  membersTable(db).insert(memberRow('mem_2'))
  const add = (memberId: string, joinedMs: number) =>
    roomMembers.add({ roomId: 'room_1', memberId, involvement: 'mentions', joinedMs })
  t.ok(add('mem_1', 2))
  t.ok(add('mem_2', 1))
  t.notOk(add('mem_1', 0), 'a member is not added twice')
  t.same(
    roomMembers.of('room_1').map(({ memberId }) => memberId),
    ['mem_2', 'mem_1'],
  )
  t.ok(roomMembers.setInvolvement('room_1', 'mem_1', 'nothing'))
  t.same(roomMembers.find('room_1', 'mem_1'), {
    roomId: 'room_1',
    memberId: 'mem_1',
    involvement: 'nothing',
    joinedMs: 2,
    isFavourite: 0,
    section: null,
  })
  t.ok(roomMembers.remove('room_1', 'mem_1'))
  t.notOk(roomMembers.remove('room_1', 'mem_1'))
  t.notOk(roomMembers.setInvolvement('room_1', 'mem_1', 'nothing'))
  t.equal(roomMembers.find('room_1', 'mem_1'), undefined)
})
