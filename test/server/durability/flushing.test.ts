import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

/** A disk whose flushes of the database's log can be held back or fail. */
function slowDisk() {
  const held: (() => void)[] = []
  let isHeld = false
  let failure: Error | null = null
  return {
    /** How many flushes wait. */
    get waiting() {
      return held.length
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      for (const go of held.splice(0)) go()
    },
    failWith(error: Error | null) {
      failure = error
    },
    async flushLog() {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
      if (failure) throw failure
    },
  }
}

t.test(
  'while the disk is slow to flush a write, other requests are answered and the write is not',
  async (t) => {
    const disk = slowDisk()
    const workroom = await openProjectFolder(t, { faults: { database: { flushLog: () => disk.flushLog() } } })
    const { id } = await workroom.put('Known', 'Before.\n')
    const { key } = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
    const events = async (since = 0) =>
      (await workroom.request('GET', `/v1/events?wait=0&since=${since}`, { key })).json
    disk.hold()
    let isAnswered = false
    const writing = workroom
      .request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })
      .finally(() => {
        isAnswered = true
      })
    const adding = workroom.request('PUT', `${docs}/new.md`, { body: '# New\n' })
    await eventually(() => disk.waiting > 0)
    t.match((await workroom.request('GET', `${docs}/known.md`)).text, /Before/, 'unchanged until the flush')
    t.equal((await workroom.request('GET', '/healthz')).status, 200)
    t.notOk(existsSync(workroom.at('documents/new.md')), 'no file is placed before the commit is durable')
    const { cursor } = await events()
    t.strictSame((await events(cursor)).events, [], 'the event is not visible yet')
    t.notOk(isAnswered)
    disk.release()
    t.equal((await writing).status, 201)
    t.equal((await adding).status, 201)
    t.match((await workroom.request('GET', `${docs}/known.md`)).text, /After/)
    const { events: newEvents } = await events(cursor)
    const titles = newEvents.map(({ title }: { title: string }) => title)
    t.strictSame(titles.sort(), ['Known', 'New'])
    t.ok(newEvents.some(({ docId }: { docId: string }) => docId === id))
  },
)

const inputOutputError = () =>
  Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5 })

t.test('a commit that the log cannot make durable is copied into the database itself', async (t) => {
  const disk = slowDisk()
  const workroom = await openProjectFolder(t, { faults: { database: { flushLog: () => disk.flushLog() } } })
  await workroom.put('Known', 'Before.\n')
  disk.failWith(inputOutputError())
  const response = await workroom.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })
  t.equal(response.status, 201, response.text)
  t.match((await workroom.request('GET', `${docs}/known.md`)).text, /After/)
  const log = statSync(join(workroom.home, '.workroom/workroom.db-wal'))
  t.equal(log.size, 0, 'the log is copied completely')
})

t.test('a write that neither the log nor the database can keep is refused, and has no effect', async (t) => {
  const disk = slowDisk()
  const workroom = await openProjectFolder(t, { faults: { database: { flushLog: () => disk.flushLog() } } })
  const { id } = await workroom.put('Known', 'Before.\n')
  // An open read transaction keeps the log from being copied completely.
  const reader = new Sqlite(join(workroom.home, '.workroom/workroom.db'), { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM documents').get()
  disk.failWith(inputOutputError())
  const response = await workroom.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })
  t.equal(response.status, 503)
  t.match(response.json.message, /^Nothing was written, because the disk reports an input\/output error/)
  t.equal((await workroom.request('GET', '/healthz')).status, 503)
  t.match((await workroom.request('GET', `${docs}/known.md`)).text, /Before/)
  t.equal((await workroom.revisions(`${docs}/known.md`)).length, 1)
  t.equal(workroom.events(id).length, 1)
  reader.close()
  disk.failWith(null)
  t.equal((await workroom.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })).status, 201)
  t.equal((await workroom.request('GET', '/healthz')).status, 200)
  t.match((await workroom.request('GET', `${docs}/known.md`)).text, /After/)
})
