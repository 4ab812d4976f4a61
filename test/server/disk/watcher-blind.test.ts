import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { failing } from '../../data/tree/failing-disk.ts'
import { bodyOf, openProjectFolder, type ProjectFolder } from '../../support/project-folder.ts'

const scanEveryMs = 30_000

/** Links a file to a name outside of the watched folders; writing through it causes no event. */
function backDoor(workroom: ProjectFolder, path: string): string {
  const folder = join(workroom.home, 'outside')
  mkdirSync(folder, { recursive: true })
  const door = join(folder, path.replaceAll('/', '-'))
  linkSync(workroom.at(path), door)
  return door
}

t.test('an edit that causes no event is logged within one safety scan', async (t) => {
  const workroom = await openProjectFolder(t)
  const { id, path } = await workroom.put('Unheard')
  const door = backDoor(workroom, 'documents/unheard.md')
  for (let round = 1; round <= 3; round++) {
    writeFileSync(door, `# Unheard\n\nRound ${round}.\n`)
    workroom.clock.advance(scanEveryMs)
    const events = await workroom.waitForEvents(id, round + 1)
    t.match(events.at(-1), { type: 'doc.write', via: 'disk', detail: { path } })
    // Another scan has ended only after the safety scan, upon which the next one is scheduled.
    await workroom.scan()
  }
  t.equal(workroom.events(id).length, 4)
  t.equal((await workroom.revisions(path)).length, 4)
})

t.test('a watcher that cannot work is reported with its remedy, and scans take over', async (t) => {
  const probe = (path: unknown) => String(path).endsWith('.workroom-probe')
  const workroom = await openProjectFolder(t, {
    faults: { tree: { fs: failing('lstatSync', 'EACCES', probe) } },
  })
  const { status, json } = await workroom.request('GET', '/healthz')
  t.match(
    [status, json],
    [
      503,
      {
        ok: false,
        problems: [
          {
            problem: 'The folders cannot be watched; they are scanned instead',
            mend: 'The server may not write in projects; let it: chmod u+rwx projects',
          },
        ],
      },
    ],
  )
  t.match(workroom.log.text(), /The folders cannot be watched/)
  const { id, path } = await workroom.put('Seen')
  writeFileSync(backDoor(workroom, 'documents/seen.md'), '# Seen\n\nBy the scan.\n')
  workroom.clock.advance(scanEveryMs)
  t.match((await workroom.waitForEvents(id, 2))[1], { type: 'doc.write', via: 'disk' })
  t.equal(bodyOf(await workroom.request('GET', path)), '# Seen\n\nBy the scan.\n')
})
