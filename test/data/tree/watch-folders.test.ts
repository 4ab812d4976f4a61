import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate as afterThisTurn } from 'node:timers/promises'
import t from 'tap'
import { watchFolders } from '../../../data/tree/watch-folders.ts'
import { eventually } from '../../support/eventually.ts'

const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length
/** Those of servers in this process. */
const otherWatches = watches()

t.test('closing at any moment leaves no watch that would keep the process alive', async (t) => {
  const home = t.testdir({ one: { two: {} } })
  for (let moments = 0; moments < 6; moments++) {
    const watcher = watchFolders(home, { followSymlinks: false })
    const handler = watcher._nodeFsHandler
    const watch = handler._watchWithNodeFs.bind(handler)
    const closed = new Promise<void>((resolve) => {
      handler._watchWithNodeFs = (path, listener) => {
        const closer = watch(path, listener)
        // Closes this many microtasks after the first folder is watched.
        const close = async () => {
          for (let left = moments; left > 0; left--) await null
          await watcher.close()
        }
        void Promise.resolve().then(close).then(resolve)
        return closer
      }
    })
    await closed
    await afterThisTurn()
    t.equal(watches(), otherWatches, `closed ${moments} microtasks later`)
  }
})

t.test('a removal that is noticed after closing opens no watch again', async (t) => {
  const home = t.testdir({ files: { one: { below: {} }, two: { below: {} } } })
  const { readdir } = files
  const held: Promise<unknown>[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const watcher = watchFolders(home, { followSymlinks: false })
  await once(watcher, 'ready')
  // chokidar reads a removed folder once more, and takes it for removed when that fails.
  files.readdir = (async (...request: Parameters<typeof readdir>) => {
    const reading = readdir(...request)
    if (request[1] !== undefined) return reading
    reading.catch(() => {})
    held.push(reading)
    await released
    return reading
  }) as typeof readdir
  syncBuiltinESMExports()
  t.teardown(() => {
    files.readdir = readdir
    syncBuiltinESMExports()
  })
  rmSync(join(home, 'files'), { recursive: true })
  await eventually(() => held.length >= 3)
  await watcher.close()
  mkdirSync(join(home, 'files'))
  release()
  await Promise.allSettled(held)
  await afterThisTurn()
  t.ok(watcher.closed)
  t.equal(watches(), otherWatches)
})

t.test('after the first change in a folder, only changed entries are read', async (t) => {
  const home = t.testdir({ files: { 'one.md': '', kept: {} } })
  const folder = join(home, 'files')
  const { readdir } = files
  let listings = 0
  files.readdir = ((...request: Parameters<typeof readdir>) => {
    listings++
    return readdir(...request)
  }) as typeof readdir
  syncBuiltinESMExports()
  t.teardown(() => {
    files.readdir = readdir
    syncBuiltinESMExports()
  })
  const watcher = watchFolders(home, { followSymlinks: false, ignoreInitial: true })
  t.teardown(() => watcher.close())
  await once(watcher, 'ready')
  const change = async (work: () => void) => {
    const reported = once(watcher, 'raw')
    work()
    await reported
    // chokidar reads again while events arrive.
    await eventually(() => !watcher._throttled.get('readdir')?.size)
  }
  await change(() => writeFileSync(join(folder, 'one.md'), '1'))
  const before = listings
  for (let save = 0; save < 5; save++) {
    await change(() => writeFileSync(join(folder, 'new.md'), 'more'))
    await change(() => renameSync(join(folder, 'new.md'), join(folder, 'one.md')))
  }
  t.equal(listings, before, 'a change of a file lists no folder')

  const came = once(watcher, 'addDir')
  mkdirSync(join(folder, 'later', 'below'), { recursive: true })
  t.equal((await came)[0], join(folder, 'later'))
  const below = once(watcher, 'addDir')
  t.equal((await below)[0], join(folder, 'later', 'below'))

  const gone: string[] = []
  watcher.on('unlinkDir', (path) => gone.push(path))
  rmSync(join(folder, 'later'), { recursive: true })
  await eventually(() => gone.length >= 2)
  t.strictSame(gone.toSorted(), [join(folder, 'later'), join(folder, 'later', 'below')])

  const added: string[] = []
  watcher.on('addDir', (path) => added.push(path))
  mkdirSync(join(folder, 'later', 'other'), { recursive: true })
  await eventually(() => added.length >= 2)
  const expected = [join(folder, 'later'), join(folder, 'later', 'other')]
  t.strictSame(added.toSorted(), expected, 'not its former subfolder')
})
