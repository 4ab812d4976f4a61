import { Readable } from 'node:stream'
import t from 'tap'
import type { Caller, Member } from '../../../core/access/member.ts'
import type { Outbound, OutboundFailure } from '../../../data/outbound/http.ts'
import { apiRoutes } from '../../../server/api/index.ts'
import type { Routes } from '../../../server/context.ts'
import { roomRoutes as treeRoomRoutes } from '../../../server/fs/rooms.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { type KindOfCaller, kindsOfCaller, permissionTable, type Row } from './permission-table.ts'

// No webhook arrives, because every outgoing request is refused.
const refused: OutboundFailure = {
  kind: 'failure',
  category: 'refused',
  detail: 'ECONNREFUSED',
  status: null,
}
const outbound: Outbound = { request: async () => refused, checkUrl: async () => null }
const { clock, owner, request, workspace, addMember } = await startWorkroom(t, { faults: { outbound } })

/** A member who acts over HTTP with their key, and as a caller while a row is prepared. */
interface Actor {
  member: Member
  key: string
  caller: Caller
}

let count = 0
const freeName = () => {
  count += 1
  return `Member ${count}`
}

async function actor(member: { type?: Member['type']; role?: Member['role'] } = {}): Promise<Actor> {
  const added = await addMember({ name: freeName(), type: 'human', ...member })
  return { ...added, caller: workspace.stores.members.authenticate(added.key)! }
}

/** Is in every room, and the author of what belongs to others. */
const host = await actor()
const { member: guest } = await actor()

const callers: Record<KindOfCaller, () => Promise<Actor>> = {
  owner: () => actor({ role: 'owner' }),
  admin: () => actor({ role: 'admin' }),
  'admin in the room': () => actor({ role: 'admin' }),
  'person in the room': () => actor(),
  'person outside': () => actor(),
  'agent in the room': () => actor({ type: 'agent' }),
  'agent outside': () => actor({ type: 'agent' }),
  deactivated: () => actor(),
  'no key': () => actor(),
}
const outsiders: KindOfCaller[] = ['owner', 'admin', 'person outside', 'agent outside']

/** Callers whom no row changes, because each row has a room of its own. */
const lasting = new Map<KindOfCaller, Promise<Actor>>()

/** Returns a caller, who is made for the row if the row may change them. */
function callerFor({ member, route }: Row, kind: KindOfCaller): Promise<Actor> {
  const isChanged = member !== undefined || kind === 'deactivated' || !route.includes('/:room')
  if (isChanged && kind !== 'no key') return callers[kind]()
  const known = lasting.get(kind) ?? callers[kind]()
  lasting.set(kind, known)
  return known
}

/** Creates what the parameters of a row's path name, for one caller, so that rows do not affect each other. */
async function scene(
  row: Row,
  { member, caller }: Actor,
  kind: KindOfCaller,
): Promise<Record<string, string>> {
  const {
    stores: { invites, members },
    rooms: { attachments, messages, rooms },
  } = workspace
  const named: Record<string, string> = {}
  if (row.route.includes('/:room') || row.room) {
    const room = { name: 'Room', type: row.room ?? 'open', members: [member.id] }
    const { _id: roomId } = (await rooms.create(host.caller, room)).room
    if (row.message) {
      const author = row.message === 'one’s own' ? caller : host.caller
      named.messageId = (await messages.post(author, roomId, { body: 'Said before' })).messageId
    }
    if (row.attachment) {
      const uploader = row.attachment === 'one’s own' ? caller : host.caller
      named.id = (await attachments.add(uploader, roomId, async () => aFile())).id
    }
    if (outsiders.includes(kind)) await rooms.leave(caller, roomId)
    named.roomId = roomId
    named.room = roomId
  }
  if (row.member) {
    const others = {
      'a member': {},
      'an owner': { role: 'owner' },
      'an agent': { type: 'agent' },
      'an agent that is an owner': { type: 'agent', role: 'owner' },
    } as const
    named.id = row.member === 'oneself' ? member.id : (await actor(others[row.member])).member.id
    named.keyId = members.keys(named.id)[0]!.id
  }
  if (row.inProject && member.role !== 'member') await joinGeneral(member)
  if (row.route.includes('/:askId')) named.askId = await claimedAsk()
  if (row.route.includes('/webhook')) named.deliveryId = await delivered(named.id!)
  if (row.route.includes('/invites/:id')) named.id = (await invites.issue(host.member, {})).id
  return named
}

const aFile = () => ({ name: 'a.txt', type: null, bytes: Readable.from([Buffer.from('text')]) })

/** Raises an ask in `general` and claims it for a member who is deactivated then, which ends the claim. */
async function claimedAsk(): Promise<string> {
  const claimer = await actor()
  await joinGeneral(claimer.member)
  const { askId } = await workspace.asks.asks.create(claimer.caller, { project: 'general', title: 'Sort' })
  await workspace.asks.asks.claim(claimer.caller, askId)
  await workspace.stores.members.setStatus(claimer.member.id, 'deactivated')
  return askId
}

const joinGeneral = (member: Member) =>
  workspace.stores.projects.join(workspace.stores.projects.find('general')!, member, 'member')

/** Gives an agent a webhook, and a delivery to it that was cancelled and may be sent again. */
async function delivered(agentId: string): Promise<string> {
  const {
    rooms: { messages, rooms },
    webhooks: { webhooks },
  } = workspace
  const chief = workspace.stores.members.authenticate(owner.key)!
  const { room } = await rooms.create(chief, { name: 'Room', type: 'open', members: [agentId] })
  const roomId = room._id
  const set = () => webhooks.set(chief, agentId, { url: 'https://127.0.0.1/', events: ['mention'] })
  await set()
  await messages.post(chief, roomId, { body: `@[Agent](${agentId})` })
  await webhooks.set(chief, agentId, { url: null })
  await set()
  return webhooks.deliveries(chief, agentId, 1)[0]!.id
}

/** Returns the status of a row for one kind of caller. */
async function outcome(row: Row, kind: KindOfCaller): Promise<number> {
  const calling = await callerFor(row, kind)
  const named = await scene(row, calling, kind)
  const [method, template] = row.route.split(' ') as [string, string]
  const filled: Record<string, string | undefined> = {
    emoji: encodeURIComponent('👍'),
    memberId: host.member.id,
    ...named,
  }
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    if (filled[name] === undefined) throw new Error(`The row of ${row.route} does not say what :${name} is.`)
    return filled[name]
  })
  if (kind === 'deactivated') await workspace.stores.members.setStatus(calling.member.id, 'deactivated')
  const { status, json } = await request(method, path + (row.query ?? ''), {
    key: kind === 'no key' ? undefined : calling.key,
    body: row.body?.({
      roomId: named.roomId ?? '',
      messageId: named.messageId ?? '',
      guestId: guest.id,
      freeName: freeName(),
    }),
  })
  if (status >= 400 && !json.requestId) throw new Error(`${row.route} was refused without a requestId.`)
  return status
}

function expected({ allowed, success = 200 }: Row, kind: KindOfCaller): number {
  if (kind === 'deactivated' || kind === 'no key') return 401
  return allowed.includes(kind) ? success : 403
}

t.test('every endpoint has a row, and every row has an endpoint', async (t) => {
  const endpoints = (routes: Routes, prefix = '') =>
    routes.stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${prefix}${path}`),
    )
  const api = endpoints(apiRoutes(workspace, { uploadBytes: 0, allowLongBody: () => {} }))
  // Other methods on the generated files of the tree are 405 for everyone.
  const tree = endpoints(treeRoomRoutes(workspace.rooms), '/v1/fs').filter((route) =>
    route.startsWith('GET '),
  )
  const rows = new Set(permissionTable.map(({ route }) => route))
  t.same([...rows].sort(), [...new Set([...api, ...tree])].sort())
})

for (const row of permissionTable) {
  const { route, room, message, member, note, allowed } = row
  const details = [room && `${room} room`, message, member, note].filter(Boolean).join(', ')
  const title = `${route}${details && ` (${details})`} is for ${allowed.join(', ') || 'nobody'}`
  t.test(title, async (t) => {
    // Keys of deactivated members count as invalid, and too many invalid keys would block the address.
    clock.advance(15 * 60_000)
    const statuses = await Promise.all(kindsOfCaller.map((kind) => outcome(row, kind)))
    for (const [index, kind] of kindsOfCaller.entries()) t.equal(statuses[index], expected(row, kind), kind)
  })
}
