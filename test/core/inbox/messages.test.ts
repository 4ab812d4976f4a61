import t, { type Test } from 'tap'
import { executedStatements } from '../../support/executed-statements.ts'
import { freshRooms, mention } from '../rooms/open-rooms.ts'

/** An open room with Grace, Scout and Deaf, whose involvement is `nothing`; Out is not in it. */
async function openTalk(t: Test) {
  const opened = await freshRooms(t)
  const { ada, messages, service, notified } = opened
  const grace = await opened.join('Grace', 'human')
  const scout = await opened.join('Scout', 'agent')
  const deaf = await opened.join('Deaf', 'human')
  const out = await opened.join('Out', 'human')
  const room = await opened.makeRoom({}, grace, scout, deaf)
  await service.setInvolvement(deaf, room, 'nothing')
  const post = async (body: string) => (await messages.post(ada, room, { body })).messageId
  return {
    ...opened,
    grace,
    scout,
    deaf,
    out,
    room,
    post,
    edit: (messageId: string, body: string) => messages.edit(ada, room, messageId, body),
    /** The members with an unread mention after a text is posted and edited to each of the others. */
    async notifiedAfter(...bodies: string[]) {
      const id = await post(bodies[0]!)
      for (const body of bodies.slice(1)) await messages.edit(ada, room, id, body)
      return notified(id)
    },
    read(memberId: string, messageId: string) {
      const record = opened.inbox.unread(memberId).find((unread) => unread.messageId === messageId)!
      return opened.database.commit(() => opened.inbox.markRead([record.id], opened.clock.now()))
    },
  }
}

t.test(
  'an edit notifies those whom only the new text mentions, and withdraws mentions not read yet',
  async (t) => {
    const { notifiedAfter, grace, scout, deaf, out } = await openTalk(t)
    const [g, s, d, o] = [grace, scout, deaf, out].map(mention)
    const channel = '@[channel](__channel__)'
    const everyone = '@[everyone](__everyone__)'
    // biome-ignore format: a table
    const rules: [texts: string[], notified: string[]][] = [
    [['hi', `hi ${g}`],                        ['Grace']],
    [[`hi ${g}`, 'hi'],                        []],
    [[`hi ${g}`, `hello ${g}`],                ['Grace']],
    [[`hi ${g}`, `hi ${s}`],                   ['Scout']],
    [[`hi ${g}`, `hi ${g} ${s}`],              ['Grace', 'Scout']],
    [[`hi ${g}`, 'hi', `hi ${g}`],             ['Grace']],
    [['hi', `hi ${channel}`],                  ['Grace', 'Scout']],
    [[channel, g!],                            ['Grace']],
    [[g!, channel],                            ['Grace', 'Scout']],
    [[everyone, channel],                      ['Grace', 'Scout']],
    [[channel, everyone],                      ['Grace', 'Out', 'Scout']],
    [[everyone, o!],                           ['Out']],
    [[`${d} ${channel}`, channel],             ['Grace', 'Scout']],
    [[`${channel} ${d}`, d!],                  ['Deaf']],
  ]
    for (const [texts, notified] of rules) t.same(await notifiedAfter(...texts), notified, texts.join(' → '))
  },
)

t.test('members notified by @here stay notified after an edit, even if offline by then', async (t) => {
  const { clock, edit, grace, post, presence, scout, notified } = await openTalk(t)
  presence.beat(grace.member.id)
  const id = await post(`@[here](__here__) ${mention(scout)}`)
  t.same(notified(id), ['Grace', 'Scout'])
  clock.nowMs += 90_000
  await edit(id, '@[here](__here__)')
  t.ok(notified(id).includes('Grace'))
  await edit(id, 'nobody')
  t.same(notified(id), [])
})

t.test('a mention that was read stays read, and notifies nobody again', async (t) => {
  const { edit, grace, post, read, notified, database } = await openTalk(t)
  const id = await post(mention(grace))
  t.equal(await read(grace.member.id, id), 1)
  await edit(id, 'gone')
  await edit(id, `again ${mention(grace)}`)
  t.same(notified(id), [])
  t.equal(database.connection.prepare('SELECT count(*) FROM inbox').pluck().get(), 1)
})

t.test('a mention added by an edit has the time of the edit', async (t) => {
  const { clock, edit, grace, inbox, post } = await openTalk(t)
  const id = await post('hi')
  clock.nowMs += 1000
  await edit(id, mention(grace))
  t.equal(inbox.unread(grace.member.id)[0]!.atMs, clock.nowMs)
})

t.test('deleting a message removes its unread mentions', async (t) => {
  const { ada, database, grace, messages, post, read, room, scout, notified } = await openTalk(t)
  const id = await post(`${mention(grace)} ${mention(scout)}`)
  await read(grace.member.id, id)
  await messages.remove(ada, room, id)
  t.same(notified(id), [])
  t.equal(database.connection.prepare('SELECT count(*) FROM inbox').pluck().get(), 1, 'a read one stays')
})

t.test('a broadcast to 500 people makes 500 records in one commit', async (t) => {
  const { database, grace, memberships, members, post, room, notified } = await openTalk(t)
  const row = memberships.require(room)
  const insert = database.connection.prepare(`
    INSERT INTO members (id, name, type, role, status, created_ms) VALUES (?, ?, 'human', 'member', 'active', 1)`)
  const insertIntoRoom = database.connection.prepare(`
    INSERT INTO room_members (room_id, member_id, involvement, joined_ms) VALUES (?, ?, 'everything', 1)`)
  await database.commit(() => {
    for (let n = 0; n < 500; n++) {
      insert.run(`mem_${n}`, `Person ${n}`)
      insertIntoRoom.run(row.id, `mem_${n}`)
    }
  })
  members.refresh()
  const executed = executedStatements(t, database.connection)
  const id = await post('@[channel](__channel__)')
  t.equal(executed.filter((sql) => sql === 'COMMIT').length, 1)
  t.equal(notified(id).length, 502)
  t.ok(notified(id).includes(grace.member.name))
})
