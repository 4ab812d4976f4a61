import nodeFs, { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { FileSystem } from '../../../data/tree/index.ts'
import { saveLikeGit } from '../../support/editors.ts'
import { eventsOf } from '../../support/event-log.ts'
import { stagedFiles } from '../../support/home-state.ts'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

t.test('a checkout of 400 documents logs one event each, and requests are answered meanwhile', async (t) => {
  const count = 400
  const name = (n: number) => `page-${String(n).padStart(3, '0')}.md`
  const workroom = await openProjectFolder(t, {
    prepare(home) {
      const folder = join(home, 'projects/general/documents')
      for (let n = 0; n < count; n++) writeFileSync(join(folder, name(n)), `# Page ${n}\n\nBranch one.\n`)
    },
  })
  const before = eventsOf(workroom.home)
  const written = await workroom.put('Busy')

  let isDone = false
  let rounds = 0
  const client = async (number: number) => {
    for (; !isDone; rounds++) {
      const put = await workroom.request('PUT', `${docs}/client-${number}.md`, {
        body: `# Client ${number}\n\nRound ${rounds}.\n`,
      })
      const read = await workroom.request('GET', `${docs}/busy.md`)
      t.same([put.status, read.status, bodyOf(read)], [201, 200, '# Busy\n\nText.\n'])
    }
  }
  const clients = [client(1), client(2), client(3)]
  for (let n = 0; n < count; n++) {
    saveLikeGit(workroom.at(`documents/${name(n)}`), `# Page ${n}\n\nBranch two.\n`)
  }
  const flood = () =>
    eventsOf(workroom.home)
      .slice(before.length)
      .filter(({ detail }) => /\/page-\d+\.md$/.test(detail.path))
  await workroom.eventually(() => flood().length >= count)
  isDone = true
  await Promise.all(clients)
  await workroom.scan()

  t.ok(rounds > 3, `clients were answered ${rounds} times`)
  t.equal(flood().length, count)
  t.equal(new Set(flood().map(({ documentId }) => documentId)).size, count)
  t.ok(flood().every(({ type, via }) => type === 'doc.write' && via === 'disk'))
  const ids = new Set(before.map(({ documentId }) => documentId))
  t.ok(
    flood().every(({ documentId }) => ids.has(documentId)),
    'the documents keep their ids',
  )
  const ticks = eventsOf(workroom.home).map(({ tick }) => tick)
  t.same(
    ticks,
    [...new Set(ticks)].sort((a, b) => a - b),
  )
  t.equal(bodyOf(await workroom.request('GET', `${docs}/page-399.md`)), '# Page 399\n\nBranch two.\n')
  t.equal(workroom.events(written.id).length, 1)
  t.equal(readFileSync(workroom.at('documents/page-007.md'), 'utf8'), '# Page 7\n\nBranch two.\n')
})

t.test('every file in three hundred new folders is ingested, once', async (t) => {
  const workroom = await openProjectFolder(t)
  // Half are unpacked in place, half are unpacked elsewhere on the disk and moved in whole, as archivers do.
  const aside = join(workroom.home, 'aside')
  for (let n = 0; n < 150; n++) {
    workroom.write(`documents/many/${n}/sheet.md`, `# Sheet ${n}\n`)
    mkdirSync(join(aside, String(n)), { recursive: true })
    writeFileSync(join(aside, String(n), 'sheet.md'), `# Moved sheet ${n}\n`)
  }
  mkdirSync(workroom.at('documents/moved'))
  for (let n = 0; n < 150; n++) renameSync(join(aside, String(n)), workroom.at(`documents/moved/${n}`))
  // Meanwhile a single file is answered at once, and so is a name without a file.
  const named = await workroom.request('GET', `${docs}/moved/149/sheet.md`)
  t.equal(bodyOf(named), '# Moved sheet 149\n')
  t.equal((await workroom.request('GET', `${docs}/moved/150/sheet.md`)).status, 404)
  const sheets = () => eventsOf(workroom.home).filter(({ detail }) => /\/(?:many|moved)\//.test(detail.path))
  await workroom.eventually(() => sheets().length >= 300)
  await workroom.scan()
  t.equal(sheets().length, 300)
  t.equal(new Set(sheets().map(({ documentId }) => documentId)).size, 300)
})

t.test('many writes of our own have no other file looked at', async (t) => {
  let looks = 0
  const fs: FileSystem = {
    ...nodeFs,
    lstatSync: ((path: string, options: object) => {
      if (path.endsWith('/bystander.md')) looks += 1
      return nodeFs.lstatSync(path, options)
    }) as FileSystem['lstatSync'],
  }
  const workroom = await openProjectFolder(t, { scanEveryMs: 3_600_000, faults: { tree: { fs } } })
  workroom.write('documents/bystander.md', '# Bystander\n')
  await workroom.scan()
  looks = 0
  for (let round = 1; round <= 8; round++) {
    const titles = Array.from({ length: 16 }, (_, n) => `Page ${n}`)
    await Promise.all(titles.map((title) => workroom.put(title, `Round ${round}.\n`)))
  }
  // Longer than a burst of hints would have had a scan wait.
  await workroom.eventually(() => stagedFiles(workroom.home).length === 0)
  t.equal(looks, 0)
})
