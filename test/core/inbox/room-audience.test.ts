import t from 'tap'
import { roomAudience } from '../../../core/inbox/room-audience.ts'
import type { Involvement } from '../../../core/room-members/involvement.ts'
import type { RoomType } from '../../../core/rooms/types.ts'
import { freshRooms } from '../rooms/open-rooms.ts'

const opened = await freshRooms(t)
const { ada, clock, members, memberships, presence, projects, service } = opened
await projects.add({ name: 'Moon', lead: ada.member })
const everybody = {
  ada,
  grace: await opened.join('Grace', 'human', 'moon'),
  scout: await opened.join('Scout', 'agent', 'moon'),
  deaf: await opened.join('Deaf', 'human', 'moon'),
  hidden: await opened.join('Hidden', 'agent', 'moon'),
  out: await opened.join('Out', 'human'),
  stray: await opened.join('Stray', 'agent'),
  gone: await opened.join('Gone', 'human', 'moon'),
}
type Name = keyof typeof everybody
const idOf = (name: Name) => everybody[name].member.id
const nameOf = (id: string) => Object.entries(everybody).find(([, { member }]) => member.id === id)?.[0] ?? id

/** A room with everybody but Out and Stray; Deaf's involvement is `nothing`, Hidden's `invisible`. */
async function roomOf(type: RoomType, projectId?: string): Promise<string> {
  const inside = (['grace', 'scout', 'deaf', 'hidden', 'gone'] as const).map((name) => everybody[name])
  const room = await opened.makeRoom({ type, ...(projectId !== undefined && { projectId }) }, ...inside)
  const involve = (name: Name, involvement: Involvement) =>
    service.setInvolvement(everybody[name], room, involvement)
  await involve('deaf', 'nothing')
  await involve('hidden', 'invisible')
  return room
}
const rooms = {
  open: await roomOf('open'),
  closed: await roomOf('closed'),
  direct: await roomOf('direct'),
  moon: await roomOf('open', 'moon'),
  secret: await roomOf('closed', 'moon'),
}
await members.setStatus(idOf('gone'), 'deactivated')

const reached = (room: string, mentioned: readonly string[], author: Name = 'ada') =>
  roomAudience(mentioned, memberships.require(room), idOf(author), { members, memberships, presence })
    .map(nameOf)
    .sort()

t.test('the audience of a mention depends on the type of room and the kind of mention', async (t) => {
  for (const name of ['grace', 'stray'] as const) presence.beat(idOf(name))
  const byId = Object.keys(everybody).map((name) => idOf(name as Name))
  const inside = ['deaf', 'grace', 'hidden', 'scout']
  const listening = ['grace', 'scout']
  // biome-ignore format: a table
  const rules: [room: keyof typeof rooms, mentioned: string[], notified: string[]][] = [
    ['open',   byId,             [...inside, 'out']],
    ['closed', byId,             inside],
    ['direct', byId,             inside],
    ['moon',   byId,             inside],
    ['secret', byId,             inside],
    ['open',   ['__channel__'],  listening],
    ['closed', ['__channel__'],  listening],
    ['moon',   ['__channel__'],  listening],
    ['open',   ['__here__'],     ['grace']],
    ['closed', ['__here__'],     ['grace']],
    ['open',   ['__everyone__'], [...listening, 'out']],
    ['closed', ['__everyone__'], listening],
    ['direct', ['__everyone__'], listening],
    ['moon',   ['__everyone__'], listening],
  ]
  for (const [room, mentioned, notified] of rules) {
    t.same(reached(rooms[room], mentioned), notified.toSorted(), `${room} ${mentioned}`)
  }
})

t.test('a room member who is no longer in the room’s project is not notified', async (t) => {
  const inRoom = await opened.makeRoom({ type: 'closed', projectId: 'moon' }, everybody.grace)
  opened.database.connection.prepare('DELETE FROM project_members WHERE member_id = ?').run(idOf('grace'))
  projects.refresh()
  t.same(reached(inRoom, [idOf('grace'), '__channel__', '__everyone__', '__here__']), [])
  await projects.join(projects.find('moon')!, everybody.grace.member, 'member')
  t.same(reached(inRoom, ['__channel__']), ['grace'], 'rejoining the project restores it')
})

t.test('authors are never notified of their own mention, and nobody is notified twice', async (t) => {
  const all = [idOf('grace'), '__channel__', '__everyone__', '__here__', idOf('out'), idOf('grace')]
  t.same(reached(rooms.open, all, 'grace'), ['ada', 'out', 'scout'])
  t.same(reached(rooms.closed, all), ['grace', 'scout'])
  t.same(reached(rooms.open, [idOf('ada')]), [])
})

t.test('unknown and deactivated members are never notified', async (t) => {
  t.same(reached(rooms.open, []), [])
  t.same(reached(rooms.open, ['mem_nobody', '__nobody__', idOf('gone')]), [])
})

t.test('@here notifies members whose heartbeat is younger than 90 seconds', async (t) => {
  presence.beat(idOf('scout'))
  clock.nowMs += 89_999
  t.same(reached(rooms.open, ['__here__']), ['grace', 'scout'])
  clock.nowMs += 1
  t.same(reached(rooms.open, ['__here__']), [])
})
