import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { newIdFactory, systemRandom } from '../../../core/ids.ts'
import { ensureWelcomeRoom } from '../../../core/room-members/welcome-room.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { openWorkspace } from '../../../core/workspace/index.ts'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { testFolder } from '../../support/test-folder.ts'
import { freshRooms } from '../rooms/open-rooms.ts'

t.test('an old home gets one welcome room with all active members', async (t) => {
  const opened = await freshRooms(t)
  const { clock, members, memberships, rooms } = opened
  await opened.join('Grace', 'human')
  await opened.join('Bot', 'agent')
  const gone = await opened.join('Gone', 'human')
  await members.setStatus(gone.member.id, 'deactivated')
  t.equal(rooms.welcoming(), undefined)
  const ensure = () => ensureWelcomeRoom({ ...opened, newId: newIdFactory(clock, systemRandom) })
  await Promise.all([ensure(), ensure()])
  await ensure()
  const general = memberships.require('general')
  t.match(general, { name: 'general', type: 'open', projectId: null, welcomesPeople: 1 })
  const inside = () => memberships.in(general).map(({ member }) => member.name)
  t.same(inside(), ['Ada', 'Grace', 'Bot'])
  t.equal(rooms.joinedBy(opened.owner.id).length, 1)

  await opened.join('Linus', 'human')
  await opened.join('Scout', 'agent')
  t.same(inside(), ['Ada', 'Grace', 'Bot', 'Linus', 'Scout'])
  const scout = members.resolve('Scout')!
  t.equal(memberships.involvementOf(general, scout), 'mentions')
})

t.test('a renamed welcome room still welcomes people, and a taken slug stays with its room', async (t) => {
  const opened = await freshRooms(t)
  const { ada, clock, management, memberships, rooms, makeRoom } = opened
  const first = await makeRoom({ name: 'General' })
  await ensureWelcomeRoom({ ...opened, newId: newIdFactory(clock, systemRandom) })
  t.equal(memberships.require('general').id, first)
  t.equal(rooms.welcoming()!.slug, 'general-2')
  await management.change(ada, 'general-2', { name: 'Hall' })
  const grace = await opened.join('Grace', 'human')
  t.ok(memberships.isIn(memberships.require('hall'), grace.member))
})

t.test('a member who could not be added is not in the welcome room', async (t) => {
  const opened = await freshRooms(t)
  await ensureWelcomeRoom({ ...opened, newId: newIdFactory(opened.clock, systemRandom) })
  await t.rejects(opened.members.add({ name: 'Ada', type: 'human' }), { code: 'conflict' })
  t.equal(opened.roomMembers.of(opened.rooms.welcoming()!.id).length, 1)
})

t.test(
  'a new workspace has a welcome room with its owner, and people added by command line join it',
  async (t) => {
    const home = join(testFolder(t), 'home')
    const { member } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
    const administration = openForCommandLine(home)
    const grace = await administration.members.add({ name: 'Grace', type: 'human' })
    await administration.close()
    const workspace = await openWorkspace({ home, config: defaultConfig })
    t.teardown(() => workspace.close())
    const caller = workspace.stores.members.authenticate(grace.key)!
    t.match(workspace.rooms.rooms.list(caller, { all: true }), [
      { name: 'general', type: 'open', joined: true },
    ])
    t.same(
      workspace.rooms.rooms.get(caller, 'general').members.map(({ _id }) => _id),
      [member.id, grace.member.id],
    )
  },
)
