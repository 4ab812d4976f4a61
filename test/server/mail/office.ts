import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { type Actor, type Chat, mention, openChat } from '../../support/chat.ts'
import { type MailServer, openMailServer } from '../../support/mail-server.ts'
import type { WorkroomOptions } from '../../support/workroom.ts'

export const minutes = 60_000
export const hours = 60 * minutes

/** A Workroom that sends mail, and the mail server that receives it. */
export interface Office extends Chat {
  server: MailServer
  /** A person with an address, in the project `general` and in the room. */
  grace: Actor
  /** Id of the open room `Talk`. */
  talk: string
  /** Mentions Grace in the room, as the owner. @returns the message's id */
  say(text?: string): Promise<string>
  /** Advances the clock, and waits until all mail due by then is sent. @returns all mail received so far */
  after(ms: number): Promise<MailServer['mails']>
  /** Counts rows of the database. @param rows such as `inbox WHERE read_ms IS NULL` */
  count(rows: string): number
}

export async function openOffice(
  t: Test,
  { delaySeconds = 120, ...options }: WorkroomOptions & { delaySeconds?: number } = {},
): Promise<Office> {
  const server = await openMailServer(t)
  const config = { smtp: { ...server.smtp, delaySeconds }, publicUrl: 'https://work.example' }
  const chat = await openChat(t, { config, ...options })
  const grace = await chat.addMember({ name: 'Grace', type: 'human', email: 'grace@example.org' }, 'general')
  const { _id: talk } = await chat.room(chat.owner, { name: 'Talk', members: [grace.member.id] })
  const count = (rows: string) => countIn(chat.home, rows)
  const office = {
    server,
    grace,
    talk,
    count,
    say: (text = 'look') => chat.post(chat.owner, talk, `${mention(grace)} ${text}`),
    async after(ms: number) {
      chat.clock.advance(ms)
      const nowMs = chat.clock.now()
      const due = [
        `inbox WHERE mail_due_ms <= ${nowMs}`,
        `notices WHERE mail_due_ms <= ${nowMs}`,
        `mail_outbox WHERE next_ms <= ${nowMs}`,
      ]
      const isDone = () => due.every((rows) => count(rows) === 0)
      await chat.eventually(isDone)
      return server.mails
    },
  }
  return Object.defineProperties(office, Object.getOwnPropertyDescriptors(chat)) as Office
}

/** Counts rows like `Office.count`, in any home. */
export function countIn(home: string, rows: string): number {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    return db.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get()!
  } finally {
    db.close()
  }
}
