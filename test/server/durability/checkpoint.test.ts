import { renameSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { stateOf } from '../../support/home-state.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { deeds, general, put } from './writes.ts'

// Each test waits for a checkpoint, a second after its write, so they run concurrently.
t.jobs = 4
const side = { buffered: true }
const markdown = sharedMarkdown(t)

async function openRoom(t: Test) {
  const disk = breakableDisk()
  return { room: await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown } }), disk }
}

const journalRows = (home: string): unknown[] => {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    return db.prepare('SELECT document_id, path FROM journal').all()
  } finally {
    db.close()
  }
}

t.test(
  'a failing fsync loses no write, and the write is made durable once the disk works again',
  side,
  async (t) => {
    const { room, disk } = await openRoom(t)
    disk.fail('fsync', 'EIO')
    const { id } = await put(room, 'docs/kept.md', '# Kept\n\nFor good.\n')
    await room.eventually(() =>
      room.log.lines.some(({ message }) => message.startsWith('Files could not be made durable')),
    )
    t.same(journalRows(room.home), [{ document_id: id, path: 'projects/general/documents/kept.md' }])
    t.match(await room.request('GET', `${general}/docs/kept.md`), { status: 200, text: 'For good.' })
    const before = stateOf(room.home)
    await room.restart()
    t.same(stateOf(room.home), before, 'a start that cannot do it either leaves it for later')
    t.equal(journalRows(room.home).length, 1)
    disk.mend()
    await room.restart()
    t.same(journalRows(room.home), [])
    t.same(stateOf(room.home), before)
  },
)

t.test('a folder that is moved away does not keep other files from becoming durable', side, async (t) => {
  const { room } = await openRoom(t)
  await put(room, 'docs/guides/setup.md', '# Setup\n')
  await put(room, 'docs/plan.md', '# Plan\n')
  renameSync(join(room.home, 'projects/general/documents/guides'), join(room.home, 'guides'))
  await room.eventually(() => journalRows(room.home).length === 0)
  t.notOk(room.log.lines.some(({ message }) => message.startsWith('Files could not be made durable')))
})

t.test('one file that cannot be made durable does not keep others from it', side, async (t) => {
  const { room, disk } = await openRoom(t)
  disk.fail('openSync', 'EIO', ([path]) => String(path).endsWith('/bad.md'))
  const body = '# Good\n'
  const [bad] = await Promise.all([put(room, 'docs/bad.md', '# Bad\n'), put(room, 'docs/good.md', body)])
  await room.eventually(() => journalRows(room.home).length === 1)
  t.match(journalRows(room.home), [{ document_id: bad.id }])
  disk.mend()
})

t.test('the removal of a moved file from its old folder is made durable, too', side, async (t) => {
  const { room, disk } = await openRoom(t)
  const move = await deeds['a card moved'](room, 'wander')
  await room.eventually(() => journalRows(room.home).length === 0)
  const opened = new Set<string>()
  disk.replace('openSync', (real, [path]) => {
    opened.add(String(path).slice(room.home.length + 1))
    return real()
  })
  t.equal((await move()).status, 200)
  await room.eventually(() => journalRows(room.home).length === 0)
  t.ok(opened.has('projects/general/board/04-done'))
  t.ok(opened.has('projects/general/board/02-todo'))
})
