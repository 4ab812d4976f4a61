import {
  closeSync,
  ftruncateSync,
  openSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { type HomeState, stagedFiles, stateOf } from '../../support/home-state.ts'
import { type CrashedHome, startCrashableWorkroom } from './crashed-home.ts'
import { general, put } from './writes.ts'

/** A room with a document that an editor saves once while a write replaces it. */
async function roomWithEditor(
  t: Test,
  call: 'renameSync' | 'linkSync' = 'renameSync',
  afterSave: () => void = () => {},
) {
  const disk = breakableDisk()
  let isSaved = false
  let onCommitAfterSave = () => {}
  const beforeCommit = () => {
    if (isSaved) onCommitAfterSave()
  }
  const workroom = await startCrashableWorkroom(t, {
    faults: { tree: { fs: disk.fs }, database: { beforeCommit } },
  })
  const { id } = await put(workroom, 'docs/plan.md', '# Plan\n\nOld.\n')
  const path = join(workroom.home, 'projects/general/documents/plan.md')
  disk.replace(call, (real, paths) => {
    if (paths.some((name) => String(name).endsWith('/plan.md'))) {
      disk.mend()
      writeFileSync(join(workroom.home, 'saving'), '# Plan\n\nSaved by hand.\n')
      renameSync(join(workroom.home, 'saving'), path)
      isSaved = true
      afterSave()
    }
    return real()
  })
  return {
    workroom,
    disk,
    /** Replaces the document; `listener` is called before each commit that follows the editor's save. */
    async write(listener: () => void = () => {}) {
      onCommitAfterSave = listener
      return workroom.request('PUT', `${general}/docs/plan.md`, { body: '# Plan\n\nOurs.\n' })
    },
    /** Stops calling `listener`. */
    calm() {
      onCommitAfterSave = () => {}
    },
    vias: ({ rows }: HomeState) =>
      (rows.revisions as { document_id: string; via: string }[])
        .filter(({ document_id }) => document_id === id)
        .map(({ via }) => via),
  }
}

const place = 'projects/general/documents/plan.md'

for (const call of ['renameSync', 'linkSync'] as const) {
  t.test(`an edit saved before the ${call} of a write is a revision before it`, async (t) => {
    const { workroom, write, vias } = await roomWithEditor(t, call)
    t.equal((await write()).status, 201)
    t.equal(stateOf(workroom.home).files[place], '# Plan\n\nOurs.\n')
    await workroom.eventually(() => vias(stateOf(workroom.home)).length === 3)
    t.same(vias(stateOf(workroom.home)), ['api', 'disk', 'api'])
    const { json } = await workroom.request('GET', `${general}/docs/plan.md/_revisions`)
    const saved = json.revisions[1].revision
    t.match(await workroom.request('GET', `${general}/docs/plan.md?revision=${saved}`), {
      text: 'Saved by hand.',
    })
    await workroom.restart()
    t.same(stagedFiles(workroom.home), [])
  })
}

t.test(
  'what an editor writes into a file that was replaced while the editor had it open is a revision',
  async (t) => {
    const disk = breakableDisk()
    const workroom = await startCrashableWorkroom(t, { faults: { tree: { fs: disk.fs } } })
    const { id } = await put(workroom, 'docs/plan.md', '# Plan\n\nOld.\n')
    const file = openSync(join(workroom.home, place), 'r+')
    disk.replace('linkSync', (real) => {
      ftruncateSync(file, 0)
      return real()
    })
    disk.replace('unlinkSync', (real) => {
      disk.mend()
      writeSync(file, '# Plan\n\nSaved by hand.\n', 0)
      closeSync(file)
      return real()
    })
    await put(workroom, 'docs/plan.md', '# Plan\n\nOurs.\n')
    await put(workroom, 'docs/plan.md', '# Plan\n\nOurs again.\n')
    const revisions = () =>
      (stateOf(workroom.home).rows.revisions as { document_id: string; via: string }[])
        .filter((row) => row.document_id === id)
        .map(({ via }) => via)
    await workroom.eventually(() => revisions().length === 4)
    t.same(revisions(), ['api', 'disk', 'api', 'api'], 'before the write that replaced the file')
    t.equal(stateOf(workroom.home).files[place], '# Plan\n\nOurs again.\n')
    await workroom.restart()
    t.same(stagedFiles(workroom.home), [])
  },
)

t.test('a save made during a write becomes a revision even if the process is killed first', async (t) => {
  const { workroom, write, vias } = await roomWithEditor(t)
  await write()
  const crashed = workroom.copyAsCrashed()
  const recovered = await crashed.recover()
  t.equal(recovered.files[place], '# Plan\n\nOurs.\n')
  t.same(vias(recovered), ['api', 'disk', 'api'])
  t.same(stagedFiles(crashed.home), [])
})

t.test(
  'a save is a revision also if the process ends with it displaced and no file in its place',
  async (t) => {
    const { workroom, disk, write, vias } = await roomWithEditor(t, 'renameSync', () => {
      disk.replace('linkSync', (real) => {
        crashed ??= workroom.copyAsCrashed()
        return real()
      })
    })
    let crashed: CrashedHome | null = null
    await write()
    const recovered = await crashed!.recover()
    t.equal(recovered.files[place], '# Plan\n\nOurs.\n')
    t.same(vias(recovered), ['api', 'disk', 'api'])
    t.same(stagedFiles(crashed!.home), [])
  },
)

t.test('what a power cut leaves of a replaced file is not taken for a save', async (t) => {
  const disk = breakableDisk()
  disk.fail('fsync', 'EIO')
  const workroom = await startCrashableWorkroom(t, { faults: { tree: { fs: disk.fs } } })
  for (const text of ['First', 'Second', 'Third']) await put(workroom, 'docs/plan.md', `# Plan\n\n${text}.\n`)
  const { rows, files } = stateOf(workroom.home)
  const crashed = workroom.copyAsCrashed()
  for (const name of stagedFiles(crashed.home)) truncateSync(join(crashed.home, '.workroom/tmp', name), 0)
  const recovered = await crashed.recover()
  t.same([recovered.rows, recovered.files], [rows, files])
  t.same(stagedFiles(crashed.home), [])
})

t.test('a save that cannot be recorded now is logged, and the next start records it', async (t) => {
  const { workroom, write, vias, calm } = await roomWithEditor(t)
  const isOurs = ({ level, message }: { level: string; message: string }) =>
    level === 'error' && message.includes('documents/plan.md')
  const response = await write(() => {
    throw systemError('SQLITE_FULL')
  })
  t.equal(response.status, 201)
  await workroom.eventually(() => workroom.log.lines.some(isOurs))
  t.same(vias(stateOf(workroom.home)), ['api', 'api'])
  await workroom.restart(calm)
  const recovered = stateOf(workroom.home)
  t.same(vias(recovered), ['api', 'disk', 'api'])
  t.same(stagedFiles(workroom.home), [])
})
