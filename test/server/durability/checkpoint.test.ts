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
const side = { buffered: true }
const markdown = sharedMarkdown(t)

async function openRoom(t: Test) {
  const disk = breakableDisk()
  return { workroom: await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown } }), disk }
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
    const { workroom, disk } = await openRoom(t)
    disk.fail('fsync', 'EIO')
    const { id } = await put(workroom, 'docs/kept.md', '# Kept\n\nFor good.\n')
    await workroom.eventually(() =>
      workroom.log.lines.some(({ message }) => message.startsWith('Files could not be made durable')),
    )
    t.same(journalRows(workroom.home), [{ document_id: id, path: 'projects/general/documents/kept.md' }])
    t.match(await workroom.request('GET', `${general}/docs/kept.md`), { status: 200, text: 'For good.' })
    const before = stateOf(workroom.home)
    await workroom.restart()
    t.same(stateOf(workroom.home), before, 'a start that cannot do it either leaves it for later')
    t.equal(journalRows(workroom.home).length, 1)
    disk.mend()
    await workroom.restart()
    t.same(journalRows(workroom.home), [])
    t.same(stateOf(workroom.home), before)
  },
)

t.test('a folder that is moved away does not keep other files from becoming durable', side, async (t) => {
  const { workroom } = await openRoom(t)
  await put(workroom, 'docs/guides/setup.md', '# Setup\n')
  await put(workroom, 'docs/plan.md', '# Plan\n')
  renameSync(join(workroom.home, 'projects/general/documents/guides'), join(workroom.home, 'guides'))
  await workroom.eventually(() => journalRows(workroom.home).length === 0)
  t.notOk(workroom.log.lines.some(({ message }) => message.startsWith('Files could not be made durable')))
})

t.test('one file that cannot be made durable does not keep others from it', side, async (t) => {
  const { workroom, disk } = await openRoom(t)
  disk.fail('openSync', 'EIO', ([path]) => String(path).endsWith('/bad.md'))
  const body = '# Good\n'
  const [bad] = await Promise.all([
    put(workroom, 'docs/bad.md', '# Bad\n'),
    put(workroom, 'docs/good.md', body),
  ])
  await workroom.eventually(() => journalRows(workroom.home).length === 1)
  t.match(journalRows(workroom.home), [{ document_id: bad.id }])
  disk.mend()
})

t.test('the removal of a moved file from its old folder is made durable, too', side, async (t) => {
  const { workroom, disk } = await openRoom(t)
  const move = await deeds['a card moved'](workroom, 'wander')
  await workroom.eventually(() => journalRows(workroom.home).length === 0)
  const opened = new Set<string>()
  disk.replace('openSync', (real, [path]) => {
    opened.add(String(path).slice(workroom.home.length + 1))
    return real()
  })
  t.equal((await move()).status, 200)
  await workroom.eventually(() => journalRows(workroom.home).length === 0)
  t.ok(opened.has('projects/general/board/04-done'))
  t.ok(opened.has('projects/general/board/02-todo'))
})
