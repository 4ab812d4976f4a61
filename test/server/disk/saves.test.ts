import { hash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { diskClock } from '../../support/disk-clock.ts'
import {
  saveByRename,
  saveInPlace,
  saveKeepingTime,
  saveLikeGit,
  saveLikeSed,
  saveLikeSyncthing,
  saveLikeVim,
} from '../../support/editors.ts'
import { eventsOf } from '../../support/event-log.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { bodyOf, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)

/** A workspace whose files become stable when its test lets time pass. */
async function openHeldDisk(t: Test) {
  const clock = diskClock()
  const disk = breakableDisk()
  const workroom = await openProjectFolder(t, { faults: { diskNow: clock.now, tree: { fs: disk.fs } } })
  const lookCounts = new Map<string, number>()
  disk.replace('lstatSync', (real, [path]) => {
    const stats = real()
    const name = basename(String(path))
    lookCounts.set(name, (lookCounts.get(name) ?? 0) + 1)
    return stats
  })
  return {
    clock,
    workroom,
    /** Waits until the server has looked at a file and waited for it at least once. */
    async looks(name: string) {
      const count = lookCounts.get(name) ?? 0
      // A hint is one look, and each wait ends with another.
      await workroom.eventually(() => (lookCounts.get(name) ?? 0) >= count + 3)
    },
  }
}

const editors = { saveByRename, saveLikeSed, saveLikeSyncthing, saveLikeVim, saveLikeGit, saveInPlace }

for (const [name, save] of Object.entries(editors)) {
  t.test(
    `ten saves in a row (${name}) are one event each, and keep id and history`,
    { buffered: true },
    async (t) => {
      const title = `Saved ${name}`
      const { id, filename, path } = await workroom.put(title)
      for (let round = 1; round <= 10; round++) {
        save(workroom.at(`documents/${filename}`), `# ${title}\n\nRound ${round}.\n`)
        const events = await workroom.waitForEvents(id, round + 1)
        t.equal(events.length, round + 1)
        t.match(events.at(-1), { type: 'doc.write', via: 'disk', actorId: workroom.owner.member.id })
        t.match(events.at(-1)!.detail, { changed: true, path, title })
      }
      await workroom.scan()
      t.equal(workroom.events(id).length, 11)
      t.equal((await workroom.revisions(path)).length, 11)
      const names = [
        ...(await workroom.list()).keys(),
        ...eventsOf(workroom.home).map(({ detail }) => detail.path),
      ]
      t.notMatch(names.join(' '), /~|4913|sedX|\.tmp/, 'no temporary name')
      const read = await workroom.request('GET', path)
      t.match(read.text, `id: ${id}\n`)
      t.match(read.text, 'comments: 0\n')
      t.equal(bodyOf(read), `# ${title}\n\nRound 10.\n`)
    },
  )
}

t.test(
  'saves that follow too fast for the file to become stable end with the last one',
  { buffered: true },
  async (t) => {
    const { id, path } = await workroom.put('Hasty')
    for (let round = 1; round <= 10; round++)
      saveByRename(workroom.at('documents/hasty.md'), `# Hasty\n\n${round}\n`)
    await workroom.waitForEvents(id, 2)
    await workroom.scan()
    t.match([workroom.events(id).length, (await workroom.revisions(path)).length], [2, 2])
    t.equal(bodyOf(await workroom.request('GET', path)), '# Hasty\n\n10\n')
  },
)

t.test('half of a save is no revision, and no read has the bytes of another ETag', async (t) => {
  const { clock, workroom, looks } = await openHeldDisk(t)
  const { id, path, revision } = await workroom.put('Slow')
  const pieces = Array.from({ length: 10 }, (_, line) => (line === 0 ? '# Slow\n\n' : `Line ${line}.\n`))
  const before = await workroom.request('GET', path)
  const reading: Promise<HttpResponse>[] = []
  clock.hold()
  const file = openSync(workroom.at('documents/slow.md'), 'w')
  for (const piece of pieces) {
    reading.push(workroom.request('GET', path))
    await looks('slow.md')
    writeSync(file, piece)
  }
  closeSync(file)
  await looks('slow.md')
  t.equal(workroom.events(id).length, 1)
  clock.release()
  await workroom.waitForEvents(id, 2)
  await workroom.scan()
  const bodies = ['# Slow\n\nText.\n', pieces.join('')]
  for (const response of [before, ...(await Promise.all(reading))]) {
    const body = bodyOf(response)
    t.ok(bodies.includes(body), 'the text is old or new')
    t.equal(response.headers.etag, `"${hash('sha256', body).slice(0, 20)}"`)
    t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.text))
  }
  t.equal(workroom.events(id).length, 2)
  const revisions = await workroom.revisions(path)
  t.same([revisions.length, revisions[0]!.revision], [2, revision])
})

t.test('a file that is emptied and written after a pause was never empty', async (t) => {
  const { clock, workroom, looks } = await openHeldDisk(t)
  const { id, path } = await workroom.put('Emptied')
  const file = workroom.at('documents/emptied.md')
  clock.hold()
  truncateSync(file)
  await looks('emptied.md')
  clock.hold(statSync(file).mtimeMs + 700)
  await looks('emptied.md')
  writeFileSync(file, '# Emptied\n\nNew.\n')
  clock.release()
  await workroom.waitForEvents(id, 2)
  await workroom.scan()
  t.equal(workroom.events(id).length, 2)
  t.same(
    (await workroom.revisions(path)).map(({ bytes }) => bytes),
    [17, 16],
  )
})

t.test(
  'a save seen just after it emptied its file does not wait as long as a file that stays empty',
  async (t) => {
    const { clock, workroom, looks } = await openHeldDisk(t)
    const begun = await workroom.put('Begun')
    const empty = await workroom.put('Empty')
    clock.hold()
    for (const { filename } of [empty, begun]) truncateSync(workroom.at(`documents/${filename}`))
    for (const { filename } of [empty, begun]) await looks(filename)
    const files = [begun, empty].map(({ filename }) => workroom.at(`documents/${filename}`))
    writeFileSync(files[0]!, '# Begun\n\nNew.\n')
    writeFileSync(files[1]!, '')
    clock.hold(statSync(files[0]!).mtimeMs + 1000)
    await workroom.waitForEvents(begun.id, 2)
    await looks(empty.filename)
    t.equal(workroom.events(empty.id).length, 1)
    clock.hold(statSync(files[1]!).mtimeMs + 2000)
    await workroom.waitForEvents(empty.id, 2)
  },
)

t.test('a file that stays empty counts as empty after two seconds', async (t) => {
  const { clock, workroom, looks } = await openHeldDisk(t)
  const { id, path } = await workroom.put('Vacant')
  const file = workroom.at('documents/vacant.md')
  clock.hold()
  truncateSync(file)
  const { mtimeMs } = statSync(file)
  await looks('vacant.md')
  clock.hold(mtimeMs + 1900)
  await looks('vacant.md')
  t.equal(workroom.events(id).length, 1)
  clock.hold(mtimeMs + 2000)
  const events = await workroom.waitForEvents(id, 2)
  t.match(events[1], { type: 'doc.write', via: 'disk' })
  const [, empty] = await workroom.revisions(path)
  t.equal(empty!.bytes, 0)
  t.equal((await workroom.request('GET', path)).status, 200)
})

t.test(
  'touch, chmod, a save of the same bytes and a PUT of them change nothing',
  { buffered: true },
  async (t) => {
    const { id, path, revision } = await workroom.put('Same')
    const file = workroom.at('documents/same.md')
    const bytes = readFileSync(file, 'utf8')
    const still = async (what: string) => {
      await workroom.scan()
      t.equal((await workroom.request('GET', path)).headers.etag, `"${revision}"`, what)
      t.equal(workroom.events(id).length, 1, what)
    }
    utimesSync(file, new Date(), new Date())
    await still('touch')
    utimesSync(file, 1_600_000_000, 1_600_000_000)
    await still('touch -d')
    chmodSync(file, 0o600)
    await still('chmod')
    for (const save of Object.values(editors)) {
      save(file, bytes)
      await still(save.name)
    }
    const put = await workroom.request('PUT', path, { body: bytes })
    t.match([put.status, put.json], [201, { created: false, changed: false }])
    const read = (await workroom.request('GET', path)).text
    t.match((await workroom.request('PUT', path, { body: read })).json, { changed: false })
    await still('PUT')
    t.equal((await workroom.revisions(path)).length, 1)
  },
)

t.test('other bytes of the same size and time are seen by the next read', { buffered: true }, async (t) => {
  const { id, path, revision } = await workroom.put('Disguised', 'one\n')
  saveKeepingTime(workroom.at('documents/disguised.md'), '# Disguised\n\ntwo\n')
  const read = await workroom.request('GET', path)
  t.equal(bodyOf(read), '# Disguised\n\ntwo\n')
  t.not(read.headers.etag, `"${revision}"`)
  t.equal(workroom.events(id).length, 2)

  writeFileSync(workroom.at('documents/disguised.md'), '# Disguised\n\nsix\n')
  utimesSync(workroom.at('documents/disguised.md'), 1_500_000_000, 1_500_000_000)
  t.equal(bodyOf(await workroom.request('GET', path)), '# Disguised\n\nsix\n', 'with an older time')
})

t.test(
  'other bytes of the same size and time are ingested without any request',
  { buffered: true },
  async (t) => {
    const { id } = await workroom.put('Unasked', 'one\n')
    saveKeepingTime(workroom.at('documents/unasked.md'), '# Unasked\n\ntwo\n')
    t.match((await workroom.waitForEvents(id, 2))[1], { type: 'doc.write', via: 'disk' })
  },
)

t.test('edits within one tick of the clock have different ETags', { buffered: true }, async (t) => {
  const { path } = await workroom.put('Quick', '00\n')
  const file = workroom.at('documents/quick.md')
  const { mtime } = statSync(file)
  const etags = new Set<string>()
  for (let round = 10; round < 20; round++) {
    writeFileSync(file, `# Quick\n\n${round}\n`)
    utimesSync(file, mtime, mtime)
    const read = await workroom.request('GET', path)
    t.equal(bodyOf(read), `# Quick\n\n${round}\n`)
    etags.add(read.headers.etag!)
  }
  t.equal(etags.size, 10)
})

t.test('an edit that the watcher misses is seen by the next request', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Unheard')
  // Written through a hard link outside of the watched folders, which causes no event.
  const outside = join(workroom.home, 'unheard.txt')
  linkSync(workroom.at('documents/unheard.md'), outside)
  writeFileSync(outside, '# Unheard\n\nBy a back door.\n')
  const stale = await workroom.request('PUT', path, {
    body: '# Unheard\n\nMine.\n',
    headers: { 'If-Match': (await workroom.revisions(path))[0]!.revision },
  })
  t.equal(stale.status, 409)
  t.equal(bodyOf(await workroom.request('GET', path)), '# Unheard\n\nBy a back door.\n')
  t.equal(workroom.events(id).length, 2)
})
