import { hash } from 'node:crypto'
import {
  chmodSync,
  linkSync,
  readFileSync,
  type Stats,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import {
  saveByRename,
  saveInPlace,
  saveKeepingTime,
  saveLikeGit,
  saveLikeSed,
  saveLikeSyncthing,
  saveLikeVim,
  saveSlowly,
} from '../../support/editors.ts'
import { eventsOf } from '../../support/event-log.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { bodyOf, openProjectFolder } from '../../support/project-folder.ts'

t.jobs = 8
const desk = await openProjectFolder(t)

/** A file unchanged for longer may be taken as stable; the server waits 150 ms. */
const restMs = 130

const editors = { saveByRename, saveLikeSed, saveLikeSyncthing, saveLikeVim, saveLikeGit, saveInPlace }

for (const [name, save] of Object.entries(editors)) {
  t.test(
    `ten saves in a row (${name}) are one event each, and keep id and history`,
    { buffered: true },
    async (t) => {
      const title = `Saved ${name}`
      const { id, filename, path } = await desk.put(title)
      for (let round = 1; round <= 10; round++) {
        save(desk.at(`documents/${filename}`), `# ${title}\n\nRound ${round}.\n`)
        const events = await desk.happened(id, round + 1)
        t.equal(events.length, round + 1)
        t.match(events.at(-1), { type: 'doc.write', via: 'disk', actorId: desk.owner.member.id })
        t.match(events.at(-1)!.detail, { changed: true, path, title })
      }
      await desk.scan()
      t.equal(desk.events(id).length, 11)
      t.equal((await desk.revisions(path)).length, 11)
      const names = [...(await desk.list()).keys(), ...eventsOf(desk.home).map(({ detail }) => detail.path)]
      t.notMatch(names.join(' '), /~|4913|sedX|\.tmp/, 'no temporary name')
      const read = await desk.request('GET', path)
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
    const { id, path } = await desk.put('Hasty')
    for (let round = 1; round <= 10; round++)
      saveByRename(desk.at('documents/hasty.md'), `# Hasty\n\n${round}\n`)
    await desk.happened(id, 2)
    await desk.scan()
    t.match([desk.events(id).length, (await desk.revisions(path)).length], [2, 2])
    t.equal(bodyOf(await desk.request('GET', path)), '# Hasty\n\n10\n')
  },
)

t.test(
  'half of a save is no revision, and no read has the bytes of another ETag',
  { buffered: true },
  async (t) => {
    const saveWhileReading = async (name: string) => {
      const { id, path, revision } = await desk.put(name)
      const pieces = Array.from({ length: 10 }, (_, line) =>
        line === 0 ? `# ${name}\n\n` : `Line ${line}.\n`,
      )
      const saving = saveSlowly(desk.at(`documents/${name.toLowerCase()}.md`), pieces, 40)
      const read: HttpResponse[] = []
      let isSaved = false
      const reading = (async () => {
        while (!isSaved) read.push(await desk.request('GET', path))
      })()
      const maxMs = await saving
      await desk.happened(id, 2)
      isSaved = true
      await reading
      await desk.scan()
      return { id, path, revision, read, maxMs, bodies: [`# ${name}\n\nText.\n`, pieces.join('')] }
    }
    let save = await saveWhileReading('Slow')
    // On a busy machine a piece may come so late that the file counts as stable before it.
    for (let time = 1; save.maxMs > restMs; time++) save = await saveWhileReading(`Slow${time}`)
    for (const response of save.read) {
      const body = bodyOf(response)
      t.ok(save.bodies.includes(body), 'the text is old or new')
      t.equal(response.headers.etag, `"${hash('sha256', body).slice(0, 20)}"`)
      t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.text))
    }
    t.equal(desk.events(save.id).length, 2)
    const revisions = await desk.revisions(save.path)
    t.same([revisions.length, revisions[0]!.revision], [2, save.revision])
  },
)

t.test('a file that is emptied and written after a pause was never empty', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Emptied')
  const file = desk.at('documents/emptied.md')
  truncateSync(file)
  await pause(700)
  writeFileSync(file, '# Emptied\n\nNew.\n')
  await desk.happened(id, 2)
  await desk.scan()
  t.equal(desk.events(id).length, 2)
  t.same(
    (await desk.revisions(path)).map(({ bytes }) => bytes),
    [17, 16],
  )
})

t.test(
  'a save seen just after it emptied its file does not wait as long as a file that stays empty',
  async (t) => {
    const disk = breakableDisk()
    const desk = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })
    const begun = await desk.put('Begun')
    const empty = await desk.put('Empty')
    const seenEmpty = new Set<string>()
    disk.replace('lstatSync', (real, [path]) => {
      const stats = real() as Stats | undefined
      if (stats?.isFile() && stats.size === 0) seenEmpty.add(basename(path as string))
      return stats
    })
    for (const { filename } of [empty, begun]) truncateSync(desk.at(`documents/${filename}`))
    await desk.eventually(() => seenEmpty.has(begun.filename) && seenEmpty.has(empty.filename))
    writeFileSync(desk.at('documents/begun.md'), '# Begun\n\nNew.\n')
    await Promise.all([desk.happened(begun.id, 2), desk.happened(empty.id, 2)])
    const order = eventsOf(desk.home).map(({ documentId }) => documentId)
    t.same(order.slice(-2), [begun.id, empty.id])
  },
)

t.test('a file that stays empty counts as empty after two seconds', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Vacant')
  const emptiedMs = Date.now()
  truncateSync(desk.at('documents/vacant.md'))
  const events = await desk.happened(id, 2)
  t.ok(Date.now() - emptiedMs >= 1900)
  t.match(events[1], { type: 'doc.write', via: 'disk' })
  const [, empty] = await desk.revisions(path)
  t.equal(empty!.bytes, 0)
  t.equal((await desk.request('GET', path)).status, 200)
})

t.test(
  'touch, chmod, a save of the same bytes and a PUT of them change nothing',
  { buffered: true },
  async (t) => {
    const { id, path, revision } = await desk.put('Same')
    const file = desk.at('documents/same.md')
    const bytes = readFileSync(file, 'utf8')
    const still = async (what: string) => {
      await desk.scan()
      t.equal((await desk.request('GET', path)).headers.etag, `"${revision}"`, what)
      t.equal(desk.events(id).length, 1, what)
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
    const put = await desk.request('PUT', path, { body: bytes })
    t.match([put.status, put.json], [201, { created: false, changed: false }])
    const read = (await desk.request('GET', path)).text
    t.match((await desk.request('PUT', path, { body: read })).json, { changed: false })
    await still('PUT')
    t.equal((await desk.revisions(path)).length, 1)
  },
)

t.test('other bytes of the same size and time are seen by the next read', { buffered: true }, async (t) => {
  const { id, path, revision } = await desk.put('Disguised', 'one\n')
  saveKeepingTime(desk.at('documents/disguised.md'), '# Disguised\n\ntwo\n')
  const read = await desk.request('GET', path)
  t.equal(bodyOf(read), '# Disguised\n\ntwo\n')
  t.not(read.headers.etag, `"${revision}"`)
  t.equal(desk.events(id).length, 2)

  writeFileSync(desk.at('documents/disguised.md'), '# Disguised\n\nsix\n')
  utimesSync(desk.at('documents/disguised.md'), 1_500_000_000, 1_500_000_000)
  t.equal(bodyOf(await desk.request('GET', path)), '# Disguised\n\nsix\n', 'with an older time')
})

t.test(
  'other bytes of the same size and time are ingested without any request',
  { buffered: true },
  async (t) => {
    const { id } = await desk.put('Unasked', 'one\n')
    saveKeepingTime(desk.at('documents/unasked.md'), '# Unasked\n\ntwo\n')
    t.match((await desk.happened(id, 2))[1], { type: 'doc.write', via: 'disk' })
  },
)

t.test('edits within one tick of the clock have different ETags', { buffered: true }, async (t) => {
  const { path } = await desk.put('Quick', '00\n')
  const file = desk.at('documents/quick.md')
  const { mtime } = statSync(file)
  const etags = new Set<string>()
  for (let round = 10; round < 20; round++) {
    writeFileSync(file, `# Quick\n\n${round}\n`)
    utimesSync(file, mtime, mtime)
    const read = await desk.request('GET', path)
    t.equal(bodyOf(read), `# Quick\n\n${round}\n`)
    etags.add(read.headers.etag!)
  }
  t.equal(etags.size, 10)
})

t.test('an edit that the watcher misses is seen by the next request', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Unheard')
  // Written through a hard link outside of the watched folders, which causes no event.
  const outside = join(desk.home, 'unheard.txt')
  linkSync(desk.at('documents/unheard.md'), outside)
  writeFileSync(outside, '# Unheard\n\nBy a back door.\n')
  const stale = await desk.request('PUT', path, {
    body: '# Unheard\n\nMine.\n',
    headers: { 'If-Match': (await desk.revisions(path))[0]!.revision },
  })
  t.equal(stale.status, 409)
  t.equal(bodyOf(await desk.request('GET', path)), '# Unheard\n\nBy a back door.\n')
  t.equal(desk.events(id).length, 2)
})
