import t, { type Test } from 'tap'
import { Secrets } from '../../../core/access/secrets.ts'
import { Catalogue } from '../../../core/documents/catalogue/catalogue.ts'
import { newIdFactory, systemRandom } from '../../../core/ids.ts'
import { Inbox } from '../../../core/inbox/inbox.ts'
import { UnreadMentions } from '../../../core/inbox/unread-mentions.ts'
import { UnreadNotices } from '../../../core/inbox/unread-notices.ts'
import { Notifications } from '../../../core/notifications/notifications.ts'
import { MailSchedule } from '../../../core/notifications/schedule.ts'
import { UnsubscribeLinks } from '../../../core/notifications/unsubscribe-links.ts'
import type { Mail, MailMessage } from '../../../data/outbound/mail.ts'
import { asksTable } from '../../../data/tables/asks.ts'
import { commentsTable } from '../../../data/tables/comments.ts'
import { inboxTable } from '../../../data/tables/inbox.ts'
import { mailOutboxTable } from '../../../data/tables/mail.ts'
import { messagesTable } from '../../../data/tables/messages.ts'
import { noticesTable } from '../../../data/tables/notices.ts'
import { secretsTable } from '../../../data/tables/secrets.ts'
import { eventually } from '../../support/eventually.ts'
import { executedStatements } from '../../support/executed-statements.ts'
import { TestClock } from '../../support/test-clock.ts'
import { freshRooms } from '../rooms/open-rooms.ts'

/** Notifications with a fresh database and a mail server that accepts everything. */
async function openNotifications(t: Test) {
  const opened = await freshRooms(t)
  const { database, members } = opened
  const db = database.connection
  const clock = new TestClock(opened.clock.nowMs)
  const sent: { mail: MailMessage; address: string }[] = []
  const mail: Mail = {
    async send(mail, { address }) {
      sent.push({ mail, address })
      return { kind: 'sent' }
    },
  }
  const inboxRows = inboxTable(db)
  const notices = noticesTable(db)
  const schedule = new MailSchedule(members, 120_000)
  const inbox = new Inbox({ ...opened, inboxRows, mail: schedule })
  const pageUrl = (path: string) => `https://work.example${path}`
  const unsubscribeLinks = new UnsubscribeLinks({
    members,
    secrets: new Secrets({ secrets: secretsTable(db), random: systemRandom }),
  })
  const problems: string[] = []
  const notifications: Notifications = new Notifications({
    ...opened,
    clock,
    newId: newIdFactory(clock, systemRandom),
    inboxRows,
    outbox: mailOutboxTable(db),
    unreadMentions: new UnreadMentions({
      ...opened,
      inbox,
      catalogue: new Catalogue(),
      contents: { get: () => t.fail('nothing is mentioned in posts') as never },
      pageUrl,
    }),
    notices,
    unreadNotices: new UnreadNotices({
      ...opened,
      notices,
      asks: asksTable(db),
      comments: commentsTable(db),
      messages: messagesTable(db),
      catalogue: new Catalogue(),
      pageUrl,
    }),
    unsubscribeLinks,
    mail,
    from: 'Workroom <w@example.org>',
    schedule,
    identity: { name: 'Testers' },
    pageUrl,
    onProblem: (message) => problems.push(message),
  })
  t.teardown(() => notifications.stop())
  return {
    ...opened,
    clock,
    inbox,
    inboxRows,
    notifications,
    problems,
    sent,
    unsubscribing: unsubscribeLinks,
  }
}

t.test('a broadcast to 500 people takes one statement for each of them', async (t) => {
  const { ada, database, inbox, inboxRows, makeRoom, members, memberships, messages } =
    await openNotifications(t)
  const room = memberships.require(await makeRoom())
  const insert = database.connection.prepare(`
    INSERT INTO members (id, name, type, role, status, email, created_ms)
    VALUES (?, ?, 'human', 'member', 'active', 'x@example.org', 1)`)
  const insertIntoRoom = database.connection.prepare(`
    INSERT INTO room_members (room_id, member_id, involvement, joined_ms) VALUES (?, ?, 'everything', 1)`)
  await database.commit(() => {
    for (let n = 0; n < 500; n++) {
      insert.run(`mem_${n}`, `Person ${n}`)
      insertIntoRoom.run(room.id, `mem_${n}`)
    }
  })
  members.refresh()
  const { messageId } = await messages.post(ada, room.id, { body: 'Hello' })
  const executed = executedStatements(t, database.connection)
  const statements = await database.commit(() => {
    executed.length = 0
    inbox.addForMessage({ id: messageId, authorId: ada.member.id }, room, ['__channel__'], 1)
    return [...executed]
  })
  t.equal(inboxRows.unreadMembersOf(messageId).length, 500)
  t.equal(statements.filter((sql) => /^\s*INSERT INTO inbox/.test(sql)).length, 500)
  t.ok(statements.length < 510, `${statements.length} statements, which other writers wait for`)
  t.equal(inboxRows.membersToMail(120_001).length, 500)
})

t.test('no mail is sent before the pages’ addresses are known', async (t) => {
  const { ada, clock, database, inbox, makeRoom, memberships, members, messages, notifications, sent } =
    await openNotifications(t)
  const { member: grace } = await members.add({ name: 'Grace', type: 'human', email: 'grace@example.org' })
  const room = memberships.require(await makeRoom())
  const { messageId } = await messages.post(ada, room.id, { body: 'Hello' })
  const message = { id: messageId, authorId: ada.member.id }
  await database.commit(() => inbox.addForMessage(message, room, [grace.id], clock.now()))
  clock.advance(600_000)
  t.equal(clock.timerCount, 0)
  notifications.start()
  await eventually(() => sent.length === 1)
  t.match(sent[0]!.mail.text, 'https://work.example/rooms/room')
})

t.test('a failure for one person does not stop mail to the others', async (t) => {
  const {
    ada,
    clock,
    database,
    inbox,
    makeRoom,
    memberships,
    members,
    messages,
    notifications,
    problems,
    sent,
  } = await openNotifications(t)
  const people: string[] = []
  for (const name of ['Bad', 'Good']) {
    people.push((await members.add({ name, type: 'human', email: `${name}@example.org` })).member.id)
  }
  const room = memberships.require(await makeRoom())
  const { messageId } = await messages.post(ada, room.id, { body: 'Hello' })
  const message = { id: messageId, authorId: ada.member.id }
  await database.commit(() => inbox.addForMessage(message, room, people, clock.now()))
  database.connection.exec(`
    CREATE TRIGGER bad BEFORE INSERT ON mail_outbox WHEN NEW.member_id = '${people[0]}'
    BEGIN SELECT RAISE(ABORT, 'bad'); END`)
  clock.advance(120_000)
  notifications.start()
  await eventually(() => problems.length === 1 && sent.length > 0)
  t.same(
    sent.map(({ address }) => address),
    ['Good@example.org'],
  )
  database.connection.exec('DROP TRIGGER bad')
  clock.advance(60_000)
  await eventually(() => sent.length === 2)
  t.equal(sent[1]!.address, 'Bad@example.org')
})
