import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { type Actor, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, owner } = chat

/** Returns the rooms that a member sees, each with whether they are in it. */
async function seenBy(actor: Actor): Promise<[name: string, joined: boolean][]> {
  const { json } = await call(actor, 'GET', '/rooms?all=1')
  return json.map(({ name, joined }: { name: string; joined: boolean }) => [name, joined])
}

t.test('a new workspace has one open room, general, with its owner in it', async (t) => {
  const { json } = await call(owner, 'GET', '/rooms?all=1')
  t.match(json, [{ name: 'general', type: 'open', projectId: null, joined: true }])
  t.equal(json.length, 1)
  await chat.post(owner, 'general', 'First!')
  t.match((await chat.request('GET', '/v1/fs/rooms/general.md')).text, 'First!')
})

t.test('every new member, person or agent, is in general from the start', async (t) => {
  const bot = await chat.agent('Bot')
  t.strictSame(await seenBy(await chat.person('Grace')), [['general', true]])
  t.strictSame(await seenBy(bot), [['general', true]])
  t.equal((await chat.detail(bot, 'general')).involvement, 'mentions')
  const hired = await call(owner, 'POST', '/members', { name: 'Hired', type: 'human' })
  t.strictSame(await seenBy(hired.json), [['general', true]])
  const { code } = (await call(owner, 'POST', '/invites', {})).json
  const body = { invite: code, name: 'Onboarded' }
  const onboarded = await chat.request('POST', '/v1/onboard', { key: undefined, body })
  t.strictSame(await seenBy(onboarded.json), [['general', true]])
  t.equal((await chat.detail(onboarded.json, 'general')).involvement, 'mentions')
})

t.test('a member added on the command line is in general at once', async (t) => {
  const beside = openForCommandLine(chat.home)
  t.teardown(() => beside.close())
  const erin = await beside.members.add({ name: 'Erin', type: 'human' })
  const helper = await beside.members.add({ name: 'Helper', type: 'agent' })
  t.strictSame(await seenBy(erin), [['general', true]])
  t.strictSame(await seenBy(helper), [['general', true]])
})

t.test('a member who leaves general stays out, even after a restart and a rename', async (t) => {
  const dora = await chat.person('Dora')
  await chat.leave(dora, 'general')
  await call(owner, 'PATCH', '/rooms/general', { name: 'Lobby' })
  await chat.restart()
  t.strictSame(await seenBy(dora), [['Lobby', false]])
  t.strictSame(await seenBy(await chat.person('Late')), [['Lobby', true]], 'new members join it by any name')
})

t.test('a home from before gets the room general, with all active members in it', async (t) => {
  const [gone, stays] = [await chat.person('Gone'), await chat.person('Stays')]
  const robot = await chat.agent('Robot')
  await chat.workspace.stores.members.setStatus(gone.member.id, 'deactivated')
  await chat.restart(() => {
    const db = new Sqlite(join(chat.home, '.workroom', 'workroom.db'))
    db.pragma('foreign_keys = OFF')
    db.exec('DELETE FROM room_members; DELETE FROM rooms; DELETE FROM messages; DELETE FROM events')
    db.close()
  })
  for (const person of [owner, stays]) t.strictSame(await seenBy(person), [['general', true]])
  t.strictSame(await seenBy(robot), [['general', true]])
  await chat.workspace.stores.members.setStatus(gone.member.id, 'active')
  t.strictSame(await seenBy(gone), [['general', false]])
})
