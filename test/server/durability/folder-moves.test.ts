import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { basicAuthorization } from '../../support/dav-client.ts'
import { type HomeState, stateOf } from '../../support/home-state.ts'
import { type CrashedHome, startCrashableWorkroom } from './crashed-home.ts'
import { put } from './writes.ts'

const disk = breakableDisk()
let beforeCommit = () => {}
const workroom = await startCrashableWorkroom(t, {
  faults: { tree: { fs: disk.fs }, database: { beforeCommit: () => beforeCommit() } },
})
const top = '/dav/projects/general/documents'

const onDisk = (path: string) => `${workroom.home}/projects/general/documents/${path}`
const move = (from: string, to: string) =>
  workroom.request('MOVE', `${top}/${from}`, {
    key: undefined,
    headers: { Authorization: basicAuthorization(workroom.owner.key), Destination: `${top}/${to}` },
  })

/** Makes a folder with documents and a hidden file. */
async function makeFolder(name: string): Promise<void> {
  for (const file of ['one', 'two', 'deep/three'])
    await put(workroom, `docs/${name}/${file}.md`, `# ${file.split('/').at(-1)}\n\n${name}\n`)
  writeFileSync(onDisk(`${name}/.hidden`), name)
}

/** Makes a change, and copies the home around each step of it. */
async function momentsOf(deed: () => Promise<{ status: number; text: string }>): Promise<CrashedHome[]> {
  const moments: CrashedHome[] = []
  disk.replace('renameSync', (real) => {
    moments.push(workroom.copyAsCrashed())
    const result = real()
    moments.push(workroom.copyAsCrashed())
    return result
  })
  beforeCommit = () => void moments.push(workroom.copyAsCrashed())
  const { status, text } = await deed()
  moments.push(workroom.copyAsCrashed())
  disk.mend()
  beforeCommit = () => {}
  if (status >= 300) throw new Error(text)
  return moments
}

const nothingStood = async () => {}
const cases: Record<string, (name: string) => Promise<void>> = {
  'to where nothing is': nothingStood,
  'over another': (name) => makeFolder(`${name}-after`),
  'over an empty one': async (name) => void mkdirSync(onDisk(`${name}-after`)),
}

for (const [what, prepare] of Object.entries(cases)) {
  t.test(`a process killed while a folder moves ${what} leaves all of it in one place`, async (t) => {
    const name = what.replaceAll(' ', '-')
    await makeFolder(name)
    await prepare(name)
    await workroom.restart()
    const before = stateOf(workroom.home)
    const moments = await momentsOf(() => move(name, `${name}-after`))
    const after = stateOf(workroom.home)
    t.notSame(after, before)
    let isMoved = false
    const seen = new Set<string>()
    for (const [index, crashed] of moments.entries()) {
      const recovered: HomeState = await crashed.recover()
      const isWhole = isDeepStrictEqual(recovered, isMoved ? after : before)
      isMoved ||= !isWhole
      t.same(recovered, isMoved ? after : before, `moment ${index + 1} of ${moments.length}`)
      seen.add(isMoved ? 'after' : 'before')
      t.same((await findDifferences(crashed.home)).findings, [])
    }
    t.ok(isMoved, 'the answered move is there')
    t.equal(seen.size, 2)
  })
}

t.test(
  'a folder move that a power cut undid is done again, and the writes before it are complete',
  async (t) => {
    await makeFolder('cut')
    await makeFolder('cut-over')
    disk.fail('fsync', 'EIO')
    await put(workroom, 'docs/cut/one.md', '# one\n\nNewer.\n')
    t.equal((await move('cut', 'cut-once')).status, 201)
    t.equal((await move('cut-once', 'cut-over')).status, 204)
    const after = stateOf(workroom.home)
    const crashed = workroom.copyAsCrashed()
    disk.mend()
    const at = (path: string) => crashed.at(`documents/${path}`)
    const [kept] = Object.keys(after.files).filter((path) =>
      /^trash\/general\/folders\/[^/]*-cut-over\//.test(path),
    )
    renameSync(at('cut-over'), at('cut'))
    renameSync(`${crashed.home}/${kept!.split('/').slice(0, 4).join('/')}`, at('cut-over'))
    writeFileSync(at('cut/one.md'), Buffer.alloc(readFileSync(at('cut/one.md')).length))
    t.same(await crashed.recover(), after)
  },
)

t.test('a move that the disk or the database refuses changes nothing', async (t) => {
  await makeFolder('refused')
  const before = stateOf(workroom.home)
  disk.fail('renameSync', 'EIO')
  t.match(await move('refused', 'accepted'), { status: 503, json: { error: /Nothing was written/ } })
  disk.fail('renameSync', 'EXDEV')
  t.match(await move('refused', 'accepted'), { status: 409, json: { error: /another disk/ } })
  disk.mend()
  // No checkpoint of the journal may be one of the commits that are counted.
  await workroom.restart()
  let commits = 0
  beforeCommit = () => {
    if (++commits === 2) throw systemError('ENOSPC')
  }
  t.equal((await move('refused', 'accepted')).status, 503)
  beforeCommit = () => {}
  t.same(stateOf(workroom.home), before)
  t.equal((await move('refused', 'accepted')).status, 201)
})
