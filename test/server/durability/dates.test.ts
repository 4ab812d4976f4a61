import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { databasePath } from '../../../data/home.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { eventsOf } from '../../support/event-log.ts'
import { stateOf } from '../../support/home-state.ts'
import { type CrashedHome, startCrashableWorkroom } from './crashed-home.ts'
import { deeds, mountDeeds, type Prepare } from './writes.ts'

interface Moment {
  /** The step that the process was about to do. */
  about: string
  crashed: CrashedHome
  /** How many events the database had. */
  eventCount: number
}

const changesOfDisk = [
  'writeSync',
  'mkdirSync',
  'linkSync',
  'symlinkSync',
  'renameSync',
  'unlinkSync',
  'fsync',
] as const

const disk = breakableDisk()
let beforeCommit = () => {}
const faults = { tree: { fs: disk.fs }, database: { beforeCommit: () => beforeCommit() } }
const workroom = await startCrashableWorkroom(t, { faults })
await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')

/** Makes a change, and copies the home before each step of it and after the last. */
async function momentsOf(deed: Awaited<ReturnType<Prepare>>): Promise<Moment[]> {
  const moments: Moment[] = []
  const keep = (about: string) => {
    moments.push({
      about,
      crashed: workroom.copyAsCrashed(),
      eventCount: eventsOf(workroom.home).length,
    })
  }
  for (const call of changesOfDisk) {
    disk.replace(call, (real, args) => {
      keep(`before ${call} ${args.map(String).join(' ').replaceAll(workroom.home, '').slice(0, 80)}`)
      return real()
    })
  }
  beforeCommit = () => keep('before COMMIT')
  const response = await deed()
  keep('once it is answered')
  disk.mend()
  beforeCommit = () => {}
  if (response.status >= 300) throw new Error(response.text)
  return moments
}

let count = 0
for (const [what, prepare] of Object.entries({ ...deeds, ...mountDeeds })) {
  t.test(`a process killed at any step of ${what} leaves it wholly done or not begun`, async (t) => {
    const deed = await prepare(workroom, `thing-${++count}`)
    await workroom.restart()
    const before = stateOf(workroom.home)
    const moments = await momentsOf(deed)
    const after = stateOf(workroom.home)
    t.ok(moments.length >= 4)
    t.equal(after.rows.events!.length, before.rows.events!.length + 1, 'one event is logged')
    t.equal(moments.at(-1)!.eventCount, after.rows.events!.length, 'before the answer')
    for (const { about, crashed, eventCount } of moments) {
      const recovered = await crashed.recover()
      t.same(recovered, eventCount === after.rows.events!.length ? after : before, about)
      t.same((await findDifferences(crashed.home)).findings, [], 'doctor finds no difference')
      t.same(await crashed.recover(), recovered, 'a second start changes nothing')
    }
  })
}

/** Returns the contents of files that are no documents: in their place, in the trash and in the mount. */
function plainFilesIn(home: string): string[] {
  const db = new Sqlite(databasePath(home), { readonly: true })
  try {
    const shown = db
      .prepare<[], string>(`
        SELECT trash_path FROM trashed_files
        UNION ALL SELECT '.workroom/scratch/' || file FROM scratch_files`)
      .pluck()
      .all()
    const paths = ['projects/general/files/plain.bin', ...shown]
    return paths.flatMap((path) =>
      existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : [],
    )
  } finally {
    db.close()
  }
}

t.test('a process killed at any step of a change to a plain file loses none of it', async (t) => {
  const at = (path: string) => `/dav/projects/general/files/${path}`
  const send = (method: string, path: string, body?: string) => workroom.request(method, at(path), { body })
  const check = async (
    what: string,
    deed: () => ReturnType<typeof send>,
    isKept: (texts: string[]) => boolean,
  ) => {
    const moments = await momentsOf(deed)
    t.ok(moments.length >= 4, what)
    for (const { about, crashed } of moments) {
      await crashed.recover()
      const texts = plainFilesIn(crashed.home)
      t.ok(isKept(texts), `${what}: ${about}: ${texts}`)
    }
  }
  const isWhole = (texts: string[]) => texts.length > 0 && texts.every((text) => text === 'bytes')
  await send('PUT', 'plain.bin', 'bytes')
  await check('deleted', () => send('DELETE', 'plain.bin'), isWhole)
  const { trash } = (await workroom.request('GET', '/v1/fs/projects/general/trash')).json
  const row = trash.find(({ kind }: { kind: string }) => kind === 'file')
  await check('brought back', () => workroom.request('POST', row.path), isWhole)
  t.same(plainFilesIn(workroom.home), ['bytes'])
  await send('DELETE', 'plain.bin')
  await send('PUT', '._plain.bin', 'old')
  const isOneOf = ([, text, ...more]: string[]) => more.length === 0 && ['old', 'new'].includes(text!)
  await check('left by a program', () => send('PUT', '._plain.bin', 'new'), isOneOf)
  t.same(plainFilesIn(workroom.home), ['bytes', 'new'])
})
