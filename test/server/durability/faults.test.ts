import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { type BreakableDisk, breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { type HomeState, stateOf } from '../../support/home-state.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { deeds, general, type Prepare, put } from './writes.ts'

/** The faults that can stop a write. */
const faults = {
  'a staged file that cannot be made': faultAt('openSync', ([, flags]) => flags === 'wx'),
  'bytes that cannot be written': faultAt('writeSync'),
  'a folder that cannot be made': faultAt('mkdirSync'),
  'a link that cannot be made': faultAt('linkSync'),
  'a rename that fails': faultAt('renameSync'),
  'an old name that cannot go': faultAt('renameSync', ([path]) => isOldName(String(path))),
  'a COMMIT that fails': null,
}

/** Whether a path is the old name of a moved file, and neither in `.workroom/tmp` nor the new name. */
const isOldName = (path: string) =>
  /\/projects\/general\/(?:documents\/thing|board\/02|drafts\/ada)/.test(path)

function faultAt(
  call: Parameters<BreakableDisk['fail']>[0],
  when?: Parameters<BreakableDisk['fail']>[2],
): (disk: BreakableDisk, errno: string) => void {
  return (disk, errno) => disk.fail(call, errno, when)
}

const staging = ['a staged file that cannot be made', 'bytes that cannot be written'] as const

/** The faults that can stop each change. */
const stoppedBy: Record<keyof typeof deeds, (keyof typeof faults)[]> = {
  'a new document': [...staging, 'a link that cannot be made', 'a COMMIT that fails'],
  'a new document in a new folder': ['a folder that cannot be made', 'a link that cannot be made'],
  'a document replaced': [
    ...staging,
    'a link that cannot be made',
    'a rename that fails',
    'a COMMIT that fails',
  ],
  'a new title': [
    ...staging,
    'a link that cannot be made',
    'a rename that fails',
    'an old name that cannot go',
    'a COMMIT that fails',
  ],
  'a block': ['bytes that cannot be written', 'a rename that fails', 'a COMMIT that fails'],
  'a card moved': ['a link that cannot be made', 'an old name that cannot go', 'a COMMIT that fails'],
  'a draft published': ['a link that cannot be made', 'an old name that cannot go', 'a COMMIT that fails'],
  'a document deleted': ['a link that cannot be made', 'an old name that cannot go', 'a COMMIT that fails'],
  'a document back from the trash': ['a link that cannot be made', 'a COMMIT that fails'],
}

/** The codes of the disk and of SQLite, and what a person reads for them. */
const words = {
  ENOSPC: /the disk is full/,
  EACCES: /the server may not write in /,
  EIO: /the disk reports an input\/output error/,
  SQLITE_FULL: /the disk is full/,
  SQLITE_IOERR: /the disk reported an error/,
}

const diskErrnos = ['ENOSPC', 'EACCES', 'EIO'] as const
const sqliteCodes = ['SQLITE_FULL', 'SQLITE_IOERR'] as const

const disk = breakableDisk()
let commitFails: string | null = null
/** How many commits fail next, and how many have failed so. */
let failuresLeft = 0
let failures = 0
const beforeCommit = () => {
  if (commitFails) throw systemError(commitFails)
  if (failuresLeft === 0) return
  failuresLeft -= 1
  failures += 1
  throw systemError('SQLITE_IOERR_WRITE')
}
const workroom = await startWorkroom(t, {
  faults: { tree: { fs: disk.fs }, database: { beforeCommit }, markdown: sharedMarkdown(t) },
})
await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')

function breakWith(fault: keyof typeof faults, errno: string): void {
  const onDisk = faults[fault]
  if (onDisk) onDisk(disk, errno)
  else commitFails = errno
}

function mend(): void {
  disk.mend()
  commitFails = null
}

function checkRefusal(t: Test, response: HttpResponse, errno: keyof typeof words): void {
  t.match(response, { status: 503, headers: { 'retry-after': '5' }, json: { error: 'bad_request' } })
  t.match(response.json.message, /^Nothing was written, because .+\. Try again when that is fixed\.$/)
  t.match(response.json.message, words[errno])
  t.notMatch(response.text, workroom.home, 'no path of the machine is shown')
  t.equal(response.json.requestId, response.headers['x-request-id'])
}

t.test('a fault is a 503 with its reason and changes nothing, and the next write works', async (t) => {
  let count = 0
  const trial = async (t: Test, fault: keyof typeof faults, prepare: Prepare) => {
    const errnos = faults[fault] ? diskErrnos : sqliteCodes
    const errno = errnos[count++ % errnos.length]!
    const deed = await prepare(workroom, `thing-${count}`)
    const before = stateOf(workroom.home)
    const listed = await workroom.request('GET', `${general}/docs`)
    breakWith(fault, errno)
    const response = await deed()
    mend()
    checkRefusal(t, response, errno)
    t.same(stateOf(workroom.home), before, 'nothing changed')
    t.same((await workroom.request('GET', `${general}/docs`)).json, listed.json)
    const again = await deed()
    t.ok([200, 201].includes(again.status), `the next one works: ${again.text}`)
    const after = stateOf(workroom.home)
    t.equal(after.rows.events!.length, before.rows.events!.length + 1)
    t.same(after.staged, [])
  }
  for (const [what, stops] of Object.entries(stoppedBy) as [keyof typeof deeds, (keyof typeof faults)[]][]) {
    for (const fault of stops) await t.test(`${what}, ${fault}`, (t) => trial(t, fault, deeds[what]))
  }
  let left: HomeState | null = null
  await workroom.restart(() => {
    left = stateOf(workroom.home)
  })
  t.same(stateOf(workroom.home), left, 'a restart finds nothing to do')
})

/** Writes at most three of the bytes. */
const writePiece = ([file, bytes, offset, length]: unknown[]) =>
  writeSync(file as number, bytes as Uint8Array, offset as number, Math.min(3, length as number))

t.test('a short write is continued, and one that makes no progress counts as a full disk', async (t) => {
  const body = '# Short\n\nIn many pieces.\n'
  disk.replace('writeSync', (_real, args) => writePiece(args))
  t.equal((await workroom.request('PUT', `${general}/docs/short.md`, { body })).status, 201)
  const path = join(workroom.home, 'projects/general/documents/short.md')
  t.equal(readFileSync(path, 'utf8'), body)
  const before = stateOf(workroom.home)
  let pieces = 0
  disk.replace('writeSync', (_real, args) => (pieces++ < 2 ? writePiece(args) : 0))
  const response = await workroom.request('PUT', `${general}/docs/short.md`, { body: `${body}More.\n` })
  mend()
  checkRefusal(t, response, 'ENOSPC')
  t.same(stateOf(workroom.home), before)
})

t.test(
  'one failing COMMIT refuses all the writes that share it, and none of them leaves a trace',
  async (t) => {
    const write = (n: number) =>
      workroom.request('PUT', `${general}/docs/shared-${n}.md`, { body: `# Shared ${n}\n` })
    const numbers = [1, 2, 3, 4, 5, 6]
    const before = stateOf(workroom.home)
    breakWith('a COMMIT that fails', 'SQLITE_FULL')
    const refused = await Promise.all(numbers.map(write))
    mend()
    for (const response of refused) checkRefusal(t, response, 'SQLITE_FULL')
    t.same(stateOf(workroom.home), before)
    const written = await Promise.all(numbers.map(write))
    t.same(new Set(written.map(({ status }) => status)), new Set([201]))
  },
)

t.test('a rename that fails for one write does not affect the others in its commit', async (t) => {
  const names = ['one', 'two', 'three', 'four']
  for (const name of names) await put(workroom, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
  disk.fail('renameSync', 'EIO', ([from]) => String(from).endsWith('/two.md'))
  const responses = await Promise.all(
    names.map((name) =>
      workroom.request('PUT', `${general}/docs/${name}.md`, { body: `# ${name}\n\nNew.\n` }),
    ),
  )
  disk.mend()
  t.same(
    responses.map(({ status }) => status),
    [201, 503, 201, 201],
  )
  const texts = names.map(
    (name) =>
      readFileSync(join(workroom.home, `projects/general/documents/${name}.md`), 'utf8').split('\n')[2],
  )
  t.same(texts, ['New.', 'Old.', 'New.', 'New.'])
})

t.test(
  'a write that the disk refuses is rolled back, even if the database fails at the first attempt to do so',
  async (t) => {
    const { path } = await put(workroom, 'docs/twice.md', '# Twice\n\nOld.\n')
    // No checkpoint of the journal may be the commit that fails.
    await workroom.restart()
    const before = stateOf(workroom.home)
    failures = 0
    disk.fail('linkSync', 'EIO', () => {
      failuresLeft = 1
      return true
    })
    const response = await workroom.request('PUT', path, { body: '# Twice\n\nNew.\n' })
    mend()
    t.equal(failures, 1)
    checkRefusal(t, response, 'EIO')
    t.same(stateOf(workroom.home), before)
    t.equal((await workroom.request('PUT', path, { body: '# Twice\n\nNewer.\n' })).status, 201)
    await workroom.restart()
    t.match((await workroom.request('GET', path)).text, /Newer/)
  },
)

t.test(
  'a refused write that cannot be rolled back at once is rolled back when the disk permits it, before any other write',
  async (t) => {
    const { id, path } = await put(workroom, 'docs/thrice.md', '# Thrice\n\nOld.\n')
    for (const isWrittenNext of [false, true]) {
      const before = stateOf(workroom.home)
      failures = 0
      disk.fail('linkSync', 'EIO', () => {
        failuresLeft = Number.POSITIVE_INFINITY
        return true
      })
      checkRefusal(t, await workroom.request('DELETE', path), 'EIO')
      t.match((await workroom.request('GET', path)).text, /Old/)
      mend()
      t.ok(failures > 0, 'the rollback was tried')
      failuresLeft = 0
      if (isWrittenNext) {
        const body = '# Thrice\n\nNew.\n'
        t.equal((await workroom.request('PUT', path, { body })).status, 201)
      } else {
        await workroom.eventually(() => isDeepStrictEqual(stateOf(workroom.home), before) || null)
      }
    }
    await workroom.restart()
    t.match((await workroom.request('GET', path)).text, /New/)
    const events = stateOf(workroom.home).rows.events as { type: string; document_id: string }[]
    t.same(
      events.filter(({ document_id }) => document_id === id).map(({ type }) => type),
      ['doc.write', 'doc.write'],
      'nobody learns of the deletion',
    )
  },
)
