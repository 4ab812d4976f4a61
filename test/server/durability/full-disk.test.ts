import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { stateOf } from '../../support/home-state.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { general, put } from './writes.ts'

// Nothing becomes durable for sure here, so that all promises stand at the next start.
const disk = breakableDisk()
disk.fail('fsync', 'EIO')
const room = await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown: sharedMarkdown(t) } })
const file = (name: string) => join(room.home, `projects/general/documents/${name}.md`)
const text = async (name: string) => (await room.request('GET', `${general}/docs/${name}.md`)).text

t.test(
  'a start on a full disk reads what was promised, and puts it in place when there is room',
  async (t) => {
    for (const name of ['lost', 'kept']) await put(room, `docs/${name}.md`, `# ${name}\n\nAnswered.\n`)
    const before = stateOf(room.home)
    await room.restart(() => {
      rmSync(file('lost'))
      disk.fail('writeSync', 'ENOSPC')
    })
    t.notOk(existsSync(file('lost')))
    for (const name of ['lost', 'kept']) t.match(await text(name), /Answered/, name)
    const health = await room.request('GET', '/healthz')
    t.match(health, { status: 503 })
    t.match(health.text, /what was written last could not be put in place, because .*the disk is full/)
    t.match(await room.request('PUT', `${general}/docs/new.md`, { body: '# New\n' }), {
      status: 503,
      json: { message: /the disk is full/ },
    })
    await room.workspace.maintenance.refresh()
    t.same(stateOf(room.home).rows.events, before.rows.events, 'nothing counts as deleted')

    disk.mend()
    t.equal((await room.request('PUT', `${general}/docs/new.md`, { body: '# New\n' })).status, 201)
    t.equal(readFileSync(file('lost'), 'utf8'), '# lost\n\nAnswered.\n')
    t.match(await text('lost'), /Answered/)
    await room.eventually(async () => (await room.request('GET', '/healthz')).status === 200)
    const after = stateOf(room.home)
    t.equal(after.rows.events!.length, before.rows.events!.length + 1)
  },
)

t.test('what waits for room survives another start', async (t) => {
  disk.fail('fsync', 'EIO')
  await put(room, 'docs/twice.md', '# Twice\n\nAnswered.\n')
  await room.restart(() => {
    rmSync(file('twice'))
    disk.fail('writeSync', 'ENOSPC')
  })
  await room.restart()
  t.match(await text('twice'), /Answered/)
  await room.restart(() => disk.mend())
  t.equal(readFileSync(file('twice'), 'utf8'), '# Twice\n\nAnswered.\n')
})
