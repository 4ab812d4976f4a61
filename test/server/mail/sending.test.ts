import t from 'tap'
import { mention } from '../../support/chat.ts'
import { hours, minutes, openOffice } from './office.ts'

/** Shared by several tests: mail is sent at once, and `calm` clears what was before. */
const shared = await openOffice(t, { delaySeconds: 0 })
async function calm() {
  const { grace, log, server, workspace } = shared
  await workspace.stores.members.change(grace.member.id, { emailNotifications: true })
  Object.assign(server, { mode: 'accept', mails: [], connections: 0 })
  log.lines.length = 0
  return shared
}

t.test('a mail that is refused for now is tried again at growing intervals, and then given up', async (t) => {
  const { after, count, log, say, server } = await calm()
  server.mode = 'busy'
  await say()
  await after(0)
  const steps = [1 * minutes, 5 * minutes, 30 * minutes, 2 * hours, 12 * hours]
  for (const [attempts, step] of steps.entries()) {
    t.equal(server.connections, attempts + 1)
    t.equal(count(`mail_outbox WHERE attempts = ${attempts + 1}`), 1)
    await after(step - 1)
    t.equal(server.connections, attempts + 1, 'not before its time')
    await after(1)
  }
  t.equal(server.connections, 6)
  t.equal(count('mail_outbox'), 0)
  t.match(log.text(), /given up/)
  t.notMatch(log.text(), /grace@example\.org/)
  server.mode = 'accept'
  t.same(await after(48 * hours), [])
})

t.test('a mail to an address that the server does not know is not tried again', async (t) => {
  const { after, count, log, say, server } = await calm()
  server.mode = 'no such user'
  await say()
  await after(48 * hours)
  t.equal(server.connections, 1)
  t.equal(count('mail_outbox'), 0)
  t.match(log.text(), /given up.*550/)
})

t.test('a mail whose connection breaks is sent again, under the same id', async (t) => {
  const { after, say, server } = await calm()
  server.mode = 'drop in the data'
  await say()
  t.same(await after(0), [])
  server.mode = 'drop after the data'
  t.equal((await after(1 * minutes)).length, 1)
  server.mode = 'accept'
  const [unanswered, taken, ...others] = await after(5 * minutes)
  t.same(others, [])
  t.equal(taken!.headers['message-id'], unanswered!.headers['message-id'])
  t.equal(taken!.text, unanswered!.text)
  t.equal((await after(48 * hours)).length, 2)
})

t.test('a mail in the outbox is not sent to a person who has unsubscribed meanwhile', async (t) => {
  const { after, grace, request, say, server } = await calm()
  server.mode = 'busy'
  await say()
  await after(0)
  server.mode = 'accept'
  const path = `/api/members/${grace.member.id}`
  await request('PATCH', path, { key: grace.key, body: { emailNotifications: false } })
  t.same(await after(48 * hours), [])
  t.equal(server.connections, 1)
})

t.test('mentions that wait for their mail survive a restart, and are sent once', async (t) => {
  const office = await openOffice(t)
  await office.say('one')
  office.clock.advance(1 * minutes)
  await office.restart()
  await office.say('two')
  await office.restart(() => office.clock.advance(5 * minutes))
  const mails = await office.after(0)
  t.equal(mails.length, 1)
  t.match(mails[0]!.text, /one[\s\S]*two/)
  await office.restart(() => office.clock.advance(5 * hours))
  t.equal((await office.after(0)).length, 1)
  t.equal(office.count('mail_outbox'), 0)
})

t.test('a mail that was refused for now arrives once when the server accepts mail again', async (t) => {
  const { after, say, server, restart } = await openOffice(t, { delaySeconds: 0 })
  server.mode = 'busy'
  await say('once')
  await after(0)
  await restart()
  server.mode = 'accept'
  t.equal((await after(1 * minutes)).length, 1)
  t.equal((await after(48 * hours)).length, 1)
  t.match(server.mails[0]!.text, 'once')
})

t.test('a mail server that hangs delays no request and no stop', async (t) => {
  const office = await openOffice(t, { delaySeconds: 0 })
  const { after, clock, count, eventually, request, say, server } = office
  server.mode = 'hang'
  await say('one')
  await eventually(() => server.connections === 1)
  await say('two')
  t.equal((await request('GET', '/v1/fs')).status, 200)
  await office.restart()
  t.equal(count('mail_outbox'), 2)
  server.mode = 'accept'
  clock.advance(1 * minutes)
  await eventually(() => server.mails.length === 2)
  t.equal((await after(48 * hours)).length, 2)
})

t.test('one mail that hangs does not delay later ones', async (t) => {
  const office = await openOffice(t, { delaySeconds: 0 })
  const { addMember, owner, post, say, server, talk } = office
  server.mode = 'hang'
  await say('one')
  await office.eventually(() => server.connections === 1)
  server.mode = 'accept'
  const bob = await addMember({ name: 'Bob', type: 'human', email: 'bob@example.org' })
  await post(owner, talk, mention(bob))
  t.same((await server.arrived(1))[0]!.recipients, ['bob@example.org'])
  await office.eventually(() => office.count('mail_outbox') === 1)
  t.equal(office.count('mail_outbox WHERE attempts = 0'), 1, 'the other is still being sent')
})

t.test('a crash between sending a mail and recording it repeats the mail under the same id', async (t) => {
  const faults: { database: { beforeCommit?: () => void } } = { database: {} }
  const office = await openOffice(t, { delaySeconds: 0, faults })
  const { eventually, server } = office
  // Once the mail server has the mail, nothing more can be recorded.
  faults.database.beforeCommit = () => {
    if (server.mails.length === 1) throw new Error('The disk has gone.')
  }
  await office.restart()
  await office.say()
  await eventually(() => server.mails.length === 1)
  await office.restart(() => {
    delete faults.database.beforeCommit
  })
  await office.after(0)
  t.equal(server.mails.length, 2)
  t.equal(server.mails[0]!.headers['message-id'], server.mails[1]!.headers['message-id'])
  t.equal((await office.after(48 * hours)).length, 2)
})

t.test('if the disk cannot record that a mail was sent, it is still not sent again', async (t) => {
  const faults: { database: { beforeCommit?: () => void } } = { database: {} }
  const { after, clock, count, eventually, log, restart, say, server } = await openOffice(t, {
    delaySeconds: 0,
    faults,
  })
  let isBroken = false
  faults.database.beforeCommit = () => {
    if (isBroken && server.mails.length === 1) throw new Error('The disk has gone.')
  }
  await restart()
  isBroken = true
  await say()
  await eventually(() => log.text().includes('could not be recorded'))
  isBroken = false
  t.equal(count('mail_outbox'), 1)
  clock.advance(1 * minutes)
  await eventually(() => count('mail_outbox') === 0)
  t.equal((await after(48 * hours)).length, 1)
})
