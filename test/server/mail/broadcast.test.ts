import Sqlite from 'better-sqlite3'
import t from 'tap'
import { databasePath } from '../../../data/home.ts'
import { minutes, openOffice } from './office.ts'

const people = 60

t.test('a broadcast reaches everyone in one mail each, however often it is repeated', async (t) => {
  const office = await openOffice(t)
  const { after, count, home, owner, talk } = office
  await office.restart(() => {
    const db = new Sqlite(databasePath(home))
    const join = db.prepare(`
      INSERT INTO room_members (room_id, member_id, involvement, joined_ms) VALUES (?, ?, 'everything', 1)`)
    const add = db.prepare(`
      INSERT INTO members (id, name, type, role, status, email, created_ms)
      VALUES (?, ?, 'human', 'member', 'active', ?, 1)`)
    db.transaction(() => {
      for (let n = 0; n < people; n++) {
        const id = `mem_${String(n).padStart(26, '0')}`
        add.run(id, `Person ${n}`, `person-${n}@example.org`)
        join.run(talk, id)
      }
    })()
    db.close()
  })
  for (const text of ['one', 'two', 'three'])
    await office.post(owner, talk, `@[channel](__channel__) ${text}`)
  t.equal(count('inbox WHERE mail_due_ms IS NOT NULL'), 3 * (people + 1))
  const mails = await after(2 * minutes)
  t.equal(mails.length, people + 1)
  t.equal(new Set(mails.map(({ recipients }) => recipients.join())).size, people + 1)
  for (const { subject } of mails) t.equal(subject, '3 mentions in Talk')
})
