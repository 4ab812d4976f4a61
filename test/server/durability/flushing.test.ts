import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

/** A disk whose next flushes of the database's log wait until they are let go, or fail. */
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
  'while the disk takes its time to keep a write, others are answered, and the write is not',
  async (t) => {
    const disk = slowDisk()
    const desk = await openProjectFolder(t, { faults: { database: { flushLog: () => disk.flushLog() } } })
    const { id } = await desk.put('Known', 'Before.\n')
    const { key } = await desk.addMember({ name: 'Grace', type: 'human' }, 'general')
    const events = async (since = 0) =>
      (await desk.request('GET', `/v1/events?wait=0&since=${since}`, { key })).json
    disk.hold()
    let isAnswered = false
    const writing = desk.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' }).finally(() => {
      isAnswered = true
    })
    const adding = desk.request('PUT', `${docs}/new.md`, { body: '# New\n' })
    await eventually(() => disk.waiting > 0)
    t.match((await desk.request('GET', `${docs}/known.md`)).text, /Before/, 'as it was')
    t.equal((await desk.request('GET', '/healthz')).status, 200)
    t.notOk(existsSync(desk.at('documents/new.md')), 'nothing is placed before the database keeps it')
    const { cursor } = await events()
    t.strictSame((await events(cursor)).events, [], 'nobody hears of it')
    t.notOk(isAnswered)
    disk.release()
    t.equal((await writing).status, 201)
    t.equal((await adding).status, 201)
    t.match((await desk.request('GET', `${docs}/known.md`)).text, /After/)
    const { events: told } = await events(cursor)
    const titles = told.map(({ title }: { title: string }) => title)
    t.strictSame(titles.sort(), ['Known', 'New'])
    t.ok(told.some(({ docId }: { docId: string }) => docId === id))
  },
)

const inputOutputError = () =>
  Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5 })

t.test('what the log does not keep is kept by the database itself', async (t) => {
  const disk = slowDisk()
  const desk = await openProjectFolder(t, { faults: { database: { flushLog: () => disk.flushLog() } } })
  await desk.put('Known', 'Before.\n')
  disk.failWith(inputOutputError())
  const answer = await desk.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })
  t.equal(answer.status, 201, answer.text)
  t.match((await desk.request('GET', `${docs}/known.md`)).text, /After/)
  const log = statSync(join(desk.home, '.workroom/workroom.db-wal'))
  t.equal(log.size, 0, 'copied whole')
})

t.test('a write that neither keeps is refused, and has not happened', async (t) => {
  const disk = slowDisk()
  const desk = await openProjectFolder(t, { faults: { database: { flushLog: () => disk.flushLog() } } })
  const { id } = await desk.put('Known', 'Before.\n')
  // Who reads keeps the log from being copied to its end.
  const reader = new Sqlite(join(desk.home, '.workroom/workroom.db'), { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM documents').get()
  disk.failWith(inputOutputError())
  const answer = await desk.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })
  t.equal(answer.status, 503)
  t.match(answer.json.message, /^Nothing was written, because the disk reports an input\/output error/)
  t.equal((await desk.request('GET', '/healthz')).status, 503)
  t.match((await desk.request('GET', `${docs}/known.md`)).text, /Before/)
  t.equal((await desk.revisions(`${docs}/known.md`)).length, 1)
  t.equal(desk.events(id).length, 1)
  reader.close()
  disk.failWith(null)
  t.equal((await desk.request('PUT', `${docs}/known.md`, { body: '# Known\n\nAfter.\n' })).status, 201)
  t.equal((await desk.request('GET', '/healthz')).status, 200)
  t.match((await desk.request('GET', `${docs}/known.md`)).text, /After/)
})
