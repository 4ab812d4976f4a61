import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { saveByRename, saveInPlace } from '../../support/editors.ts'
import { stateOf } from '../../support/home-state.ts'
import { type CrashedHome, startCrashableWorkroom } from './crashed-home.ts'
import { general, put } from './writes.ts'

// Because fsync fails, every journal entry is pending when the power is cut.
const disk = breakableDisk()
disk.fail('fsync', 'EIO')
const workroom = await startCrashableWorkroom(t, { faults: { tree: { fs: disk.fs } } })

/** Moves a file back to its earlier name, as if its rename had not reached the disk. */
function takeBack(crashed: CrashedHome, path: string, earlier: string, bytes: string): void {
  rmSync(crashed.at(path))
  writeFileSync(crashed.at(earlier), bytes)
}

/** What a power cut can leave of a file whose rename or blocks had not reached the disk yet. */
const losses: Record<string, (path: string) => void> = {
  'nothing at all': (path) => rmSync(path),
  'an empty file': (path) => truncateSync(path, 0),
  'nothing but zeros': (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
  'zeros in place of its end': (path) => {
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0, bytes.length / 2))
  },
  'its first bytes alone': (path) => truncateSync(path, 9),
  'the revision before it': (path) => writeFileSync(path, '# Two\n\nSecond.\n'),
  'the revision before that one': (path) => writeFileSync(path, '# Two\n\nFirst.\n'),
}

t.test('after a power cut the committed bytes are restored, whatever it left of the file', async (t) => {
  for (const text of ['First', 'Second', 'Third']) await put(workroom, 'docs/two.md', `# Two\n\n${text}.\n`)
  const after = stateOf(workroom.home)
  for (const [what, lose] of Object.entries(losses)) {
    const crashed = workroom.copyAsCrashed()
    lose(crashed.at('documents/two.md'))
    t.same(await crashed.recover(), after, what)
    t.same((await findDifferences(crashed.home)).findings, [])
  }
})

t.test('a new title whose rename was lost is restored, and the old names are gone', async (t) => {
  const { id } = await put(workroom, 'docs/early.md', '# Early\n\nFirst.\n')
  await put(workroom, `docs/${id}`, '# Late\n\nSecond.\n')
  await put(workroom, `docs/${id}`, '# Later\n\nThird.\n')
  const after = stateOf(workroom.home)
  const earlierNames = { early: '# Early\n\nFirst.\n', late: '# Late\n\nSecond.\n' }
  for (const [name, bytes] of Object.entries(earlierNames)) {
    const crashed = workroom.copyAsCrashed()
    takeBack(crashed, 'documents/later.md', `documents/${name}.md`, bytes)
    t.same(await crashed.recover(), after, name)
  }
})

t.test('remains of a file under an intermediate name are removed', async (t) => {
  const { id } = await put(workroom, 'docs/before.md', '# Before\n\nFirst.\n')
  await put(workroom, `docs/${id}`, '# Between\n\nSecond.\n')
  await put(workroom, `docs/${id}`, '# Behind\n\nThird.\n')
  const after = stateOf(workroom.home)
  for (const bytes of ['', '# Betw', '\0'.repeat(12), '# Between\n\nSecond.\n']) {
    const crashed = workroom.copyAsCrashed()
    takeBack(crashed, 'documents/behind.md', 'documents/between.md', bytes)
    t.same(await crashed.recover(), after, JSON.stringify(bytes))
  }
})

t.test('a file that is saved under an old name during recovery becomes a document of its own', async (t) => {
  const { id } = await put(workroom, 'docs/first.md', '# First\n\nOne.\n')
  await put(workroom, `docs/${id}`, '# Last\n\nTwo.\n')
  for (const save of [saveByRename, saveInPlace]) {
    const crashed = workroom.copyAsCrashed()
    takeBack(crashed, 'documents/last.md', 'documents/first.md', '# First\n\nOne.\n')
    const recovering = breakableDisk()
    const path = crashed.at('documents/first.md')
    for (const call of ['renameSync', 'unlinkSync'] as const) {
      recovering.replace(call, (real, [from]) => {
        if (from === path) save(path, '# First\n\nBy hand.\n')
        return real()
      })
    }
    const { files } = await crashed.recover({ tree: { fs: recovering.fs } })
    t.equal(files['projects/general/documents/first.md'], '# First\n\nBy hand.\n', save.name)
    t.equal(files['projects/general/documents/last.md'], '# Last\n\nTwo.\n')
    t.same((await findDifferences(crashed.home)).findings, [])
  }
})

t.test('a card whose moves were lost is in the column to which it was moved last', async (t) => {
  const bytes = '# Wander\n'
  const { path } = await put(workroom, 'board/todo/wander.md', bytes)
  const filename = path.split('/').at(-1)!
  for (const toColumn of ['in-progress', 'done']) {
    const stands = toColumn === 'done' ? 'in-progress' : 'todo'
    const moved = await workroom.request('POST', `${general}/board/${stands}/${filename}/_move`, {
      body: { toColumn },
    })
    t.equal(moved.status, 200)
  }
  const after = stateOf(workroom.home)
  for (const column of ['02-todo', '03-in-progress']) {
    const crashed = workroom.copyAsCrashed()
    takeBack(crashed, `board/04-done/${filename}`, `board/${column}/${filename}`, bytes)
    t.same(await crashed.recover(), after, column)
  }
})

t.test('a lost deletion is done again: the file is in the trash, and not at its path', async (t) => {
  const { path } = await put(workroom, 'docs/gone.md', '# Gone\n')
  t.equal((await workroom.request('DELETE', path)).status, 200)
  const after = stateOf(workroom.home)
  const crashed = workroom.copyAsCrashed()
  rmSync(`${crashed.home}/trash/general`, { recursive: true })
  writeFileSync(crashed.at('documents/gone.md'), '# Gone\n')
  t.same(await crashed.recover(), after)
})

t.test('a lost restore is done again: the file is at its path, and not in the trash', async (t) => {
  const { path, id } = await put(workroom, 'docs/back.md', '# Back\n')
  await workroom.request('DELETE', path)
  const trashed = Object.keys(stateOf(workroom.home).files).find((name) => name.includes(id))!
  await workroom.request('POST', `${general}/trash/${id}/_restore`)
  const after = stateOf(workroom.home)
  const crashed = workroom.copyAsCrashed()
  renameSync(crashed.at('documents/back.md'), `${crashed.home}/${trashed}`)
  t.same(await crashed.recover(), after)
})

t.test(
  'a document that is deleted, restored and deleted again within moments has its file in the trash',
  async (t) => {
    const { path, id } = await put(workroom, 'docs/twice.md', '# Twice\n')
    await workroom.request('DELETE', path)
    t.equal((await workroom.request('POST', `${general}/trash/${id}/_restore`)).status, 201)
    t.equal((await workroom.request('DELETE', path)).status, 200)
    const after = stateOf(workroom.home)
    t.ok(Object.keys(after.files).some((name) => name.startsWith('trash/') && name.includes(id)))
    t.same(await workroom.copyAsCrashed().recover(), after)
  },
)

t.test('a person’s later save stays, as a revision after the committed one', async (t) => {
  const { id } = await put(workroom, 'docs/edited.md', '# Edited\n\nOurs.\n')
  const after = stateOf(workroom.home)
  const crashed = workroom.copyAsCrashed()
  writeFileSync(crashed.at('documents/edited.md'), '# Edited\n\nOurs.\nAnd theirs.\n')
  const recovered = await crashed.recover()
  t.equal(recovered.files['projects/general/documents/edited.md'], '# Edited\n\nOurs.\nAnd theirs.\n')
  t.match(
    recovered.rows.revisions!.filter((row) => (row as { document_id: string }).document_id === id),
    [{ via: 'api' }, { via: 'disk' }],
  )
  t.equal(recovered.rows.events!.length, after.rows.events!.length + 1)
})

t.test('a file that a person has moved since is not created again', async (t) => {
  const { id } = await put(workroom, 'docs/mine.md', '# Mine\n')
  const at = `${workroom.home}/projects/general/documents`
  mkdirSync(`${at}/mine`)
  renameSync(`${at}/mine.md`, `${at}/mine/moved.md`)
  await workroom.eventually(async () => {
    const { json } = await workroom.request('GET', `${general}/docs`)
    return json.documents.some(
      (row: { id: string; filename: string }) => row.id === id && row.filename === 'mine/moved.md',
    )
  })
  const before = stateOf(workroom.home)
  t.same(await workroom.copyAsCrashed().recover(), before)
})

t.test('a deleted file that a person has put back since stays', async (t) => {
  const { path, id } = await put(workroom, 'docs/again.md', '# Again\n')
  await workroom.request('DELETE', path)
  writeFileSync(`${workroom.home}/projects/general/documents/again.md`, '# Again\n')
  t.match(await workroom.request('GET', path), { status: 200, text: `id: ${id}\n` })
  const before = stateOf(workroom.home)
  t.same(await workroom.copyAsCrashed().recover(), before)
})

t.test(
  'writes pending for a folder that is away are finished when it is back, and nothing is made in its place',
  async (t) => {
    await put(workroom, 'docs/away.md', '# Away\n\nFirst.\n')
    await put(workroom, 'docs/away.md', '# Away\n\nSecond.\n')
    const after = stateOf(workroom.home)
    const crashed = workroom.copyAsCrashed()
    writeFileSync(crashed.at('documents/away.md'), '# Away\n\nFirst.\n')
    renameSync(crashed.at(''), `${crashed.home}/elsewhere`)
    const away = await crashed.recover()
    t.same(
      Object.keys(away.files).filter((path) => path.startsWith('projects/')),
      [],
    )
    t.same(away.rows, after.rows, 'nothing is deleted')
    renameSync(`${crashed.home}/elsewhere`, crashed.at(''))
    t.same(await crashed.recover(), after)
  },
)

t.test(
  'writes pending for a folder that goes away and comes back are finished, and its old bytes are not ingested',
  async (t) => {
    for (const text of ['First', 'Second', 'Third'])
      await put(workroom, 'docs/late.md', `# Late\n\n${text}.\n`)
    await put(workroom, 'docs/emptied.md', '# Emptied\n')
    await put(workroom, 'docs/lost.md', '# Lost\n')
    const after = stateOf(workroom.home)
    const [folder, elsewhere] = [`${workroom.home}/projects/general`, `${workroom.home}/elsewhere`]
    renameSync(folder, elsewhere)
    await workroom.eventually(
      async () => (await workroom.request('GET', `${general}/docs/late.md`)).status === 503,
    )
    writeFileSync(`${elsewhere}/documents/late.md`, '# Late\n\nFirst.\n')
    writeFileSync(`${elsewhere}/documents/emptied.md`, Buffer.alloc(10))
    rmSync(`${elsewhere}/documents/lost.md`)
    renameSync(elsewhere, folder)
    await workroom.eventually(
      async () => (await workroom.request('GET', `${general}/docs/late.md`)).status === 200,
    )
    await workroom.workspace.maintenance.scan()
    t.same(stateOf(workroom.home), after)
  },
)
