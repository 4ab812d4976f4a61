import t from 'tap'
import { agentScopes, type Scope } from '../../../core/access/member.ts'
import { openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { owner, request, workspace } = chat
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [bot.member.id] })
const { _id: other } = await chat.room(owner, { name: 'Other' })
const message = await chat.post(bot, room, 'Said')

const keyWith = async (...scopes: Scope[]) =>
  (await workspace.stores.members.addKey(bot.member.id, { scopes })).key

/** Every request on rooms that an agent can make: the scope that it needs, and its status with it. */
const guarded: [method: string, path: string, scope: Scope, status: number, body?: unknown][] = [
  ['GET', '/api/rooms', 'rooms:read', 200],
  ['GET', '/api/rooms?all=1', 'rooms:read', 200],
  ['GET', `/api/rooms/${room}`, 'rooms:read', 200],
  ['GET', `/api/rooms/${room}/messages`, 'rooms:read', 200],
  ['GET', `/api/rooms/${room}/messages?thread=${message}`, 'rooms:read', 200],
  ['GET', '/v1/fs/rooms', 'rooms:read', 200],
  ['GET', '/v1/fs/rooms/talk.md', 'rooms:read', 200],
  ['POST', '/api/rooms', 'rooms:write', 403, { name: 'x', type: 'open' }],
  ['PATCH', `/api/rooms/${room}`, 'rooms:write', 403, { name: 'x' }],
  ['POST', `/api/rooms/${room}/members`, 'rooms:write', 403, { memberId: owner.member.id }],
  ['POST', `/api/rooms/${other}/join`, 'rooms:write', 200],
  ['POST', `/api/rooms/${other}/leave`, 'rooms:write', 200],
  ['PUT', `/api/rooms/${room}/involvement`, 'rooms:write', 200, { involvement: 'nothing' }],
  ['POST', `/api/rooms/${room}/messages`, 'rooms:write', 201, { body: 'x' }],
  ['PUT', `/api/rooms/${room}/messages/${message}`, 'rooms:write', 200, { body: 'y' }],
  ['PUT', `/api/rooms/${room}/messages/${message}/reactions/:eyes:`, 'rooms:write', 200],
  ['DELETE', `/api/rooms/${room}/messages/${message}/reactions/:eyes:`, 'rooms:write', 200],
  ['DELETE', `/api/rooms/${room}/messages/${message}`, 'rooms:write', 200],
  ['POST', `/api/rooms/${room}/typing`, 'rooms:write', 200],
  ['DELETE', `/api/rooms/${room}/typing`, 'rooms:write', 200],
  ['POST', '/api/presence', 'rooms:write', 200, { roomId: room }],
  ['POST', '/api/inbox/read', 'mentions:read', 200],
]

t.test(
  'a key without the scope is 403 with the name of the scope, before anything else is checked',
  async (t) => {
    for (const [method, path, scope, , body] of guarded) {
      const key = await keyWith(...agentScopes.filter((one) => one !== scope))
      for (const asked of [path, path.replace(room, 'nowhere').replace(other, 'nowhere')]) {
        const { status, json } = await request(method, asked, { key, body })
        t.equal(status, 403, `${method} ${asked}`)
        t.match(json.message ?? json.error, `lacks the scope ${scope}`, `${method} ${asked}`)
      }
    }
  },
)

t.test('each request needs no scope but its own', async (t) => {
  for (const [method, path, scope, expected, body] of guarded) {
    const { status, text } = await request(method, path, { key: await keyWith(scope), body })
    t.equal(status, expected, `${method} ${path}`)
    t.notMatch(text, 'lacks the scope')
  }
})

t.test('keys of people can be limited, too', async (t) => {
  const { key } = await workspace.stores.members.addKey(owner.member.id, { scopes: ['rooms:read'] })
  t.equal((await request('GET', '/api/rooms', { key })).status, 200)
  const { status, json } = await request('POST', '/api/rooms', { key, body: { name: 'x', type: 'open' } })
  t.match([status, json.error], [403, /rooms:write/])
})

t.test('changing a room also needs the scope to read it, because the answer shows it', async (t) => {
  const change = async (...scopes: Scope[]) => {
    const { key } = await workspace.stores.members.addKey(owner.member.id, { scopes })
    return request('PATCH', `/api/rooms/${room}`, { key, body: { description: 'New' } })
  }
  t.match(await change('rooms:write'), { status: 403, json: { error: /rooms:read/ } })
  t.equal((await change('rooms:write', 'rooms:read')).status, 200)
})

t.test('the orientation shows nothing that the key may not read', async (t) => {
  const orientation = async (...scopes: Scope[]) =>
    (await request('GET', '/v1/fs', { key: await keyWith(...scopes) })).text
  const ofRooms = await orientation('rooms:read')
  t.match(ofRooms, '## Your rooms')
  t.notMatch(ofRooms, '/v1/fs/projects', 'no request that would be refused')
  t.notMatch(await orientation('projects:read'), '## Your rooms')
})
