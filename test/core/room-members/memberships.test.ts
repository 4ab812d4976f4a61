import t from 'tap'
import { freshRooms } from '../rooms/open-rooms.ts'

t.test('a room is found only by its id, or its slug in either Unicode normal form', async (t) => {
  const { memberships, makeRoom } = await freshRooms(t)
  const id = await makeRoom({ name: 'Café Ü' })
  const { slug } = memberships.require(id)
  for (const name of [id, slug, slug.normalize('NFD'), 'cafe-u'])
    t.equal(memberships.find(name)?.id, id, name)
  for (const name of ['', 'Café Ü', `${slug}.md`, 'room_x', '__proto__'])
    t.equal(memberships.find(name), null)
  t.throws(() => memberships.require('nowhere'), {
    code: 'not_found',
    message: /nowhere/,
    next: { step: 'list rooms' },
  })
})

t.test('changes by another process count at once', async (t) => {
  const opened = await freshRooms(t)
  const { ada, memberships, neighbour, makeRoom, service } = opened
  const grace = await opened.join('Grace', 'human')
  const id = await makeRoom({ type: 'closed' }, grace)
  t.ok(memberships.isIn(memberships.require(id), grace.member))
  await neighbour.database.commit(() => neighbour.roomMembers.remove(id, grace.member.id))
  t.notOk(memberships.isIn(memberships.require(id), grace.member))
  t.throws(() => service.get(grace, id), { code: 'forbidden', message: /invite/ })
  const row = neighbour.rooms.find(id)!
  await neighbour.database.commit(() =>
    neighbour.rooms.update({ ...row, name: 'Elsewhere', slug: 'elsewhere' }),
  )
  t.equal(service.get(ada, 'elsewhere').name, 'Elsewhere')
  await neighbour.members.setStatus(grace.member.id, 'deactivated')
  await neighbour.database.commit(() => neighbour.memberships.add(row, grace.member))
  opened.members.refresh()
  t.same(
    memberships.in(memberships.require(id)).map(({ member }) => member.name),
    ['Ada'],
  )
})

t.test('a room of an unknown project is open to nobody', async (t) => {
  const { ada, database, projects, makeRoom, service } = await freshRooms(t)
  await projects.add({ name: 'Moon', lead: ada.member })
  const id = await makeRoom({ projectId: 'moon' })
  database.connection.pragma('foreign_keys = OFF')
  database.connection.exec('DELETE FROM project_members; DELETE FROM projects')
  projects.refresh()
  t.throws(() => service.get(ada, id), /not known/)
})

t.test('rooms created with the same name at once get slugs of their own', async (t) => {
  const { ada, management, memberships, service } = await freshRooms(t)
  const created = await Promise.all([1, 2, 3].map(() => service.create(ada, { name: 'Lobby', type: 'open' })))
  const made = created.map(({ room }) => room)
  t.same(made.map(({ _id }) => memberships.require(_id).slug).sort(), ['lobby', 'lobby-2', 'lobby-3'])
  const renamed = made.find(({ _id }) => memberships.require(_id).slug === 'lobby-3')!._id
  await management.change(ada, renamed, { name: 'Lobby!' })
  t.equal(memberships.require(renamed).slug, 'lobby-3', 'the room keeps its own slug')
  await management.change(ada, renamed, { name: 'Attic' })
  t.equal(memberships.require(renamed).slug, 'attic')
  await management.change(ada, renamed, { description: 'Under the roof' })
  t.equal(memberships.require(renamed).slug, 'attic')
})

t.test('a room that cannot be created leaves nothing', async (t) => {
  const { ada, memberships, service } = await freshRooms(t)
  await t.rejects(service.create(ada, { name: 'Lobby', type: 'open', members: [ada.member.id, 'mem_x'] }), {
    code: 'bad_request',
    message: /mem_x/,
  })
  await t.rejects(service.create(ada, { name: 'Lobby', type: 'secret' as 'open' }), {
    code: 'bad_request',
    message: 'type must be one of open, closed, direct.',
  })
  t.equal(memberships.find('lobby'), null)
})
