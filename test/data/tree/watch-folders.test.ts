import { once } from 'node:events'
import fs, { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate as afterThisTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { watchFolders } from '../../../data/tree/watch-folders.ts'
import { eventually } from '../../support/eventually.ts'

const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length
/** Those of servers in this process. */
const otherWatches = watches()

/** Replaces a function of a module of Node until the test ends. */
function replace<Module extends object, Name extends keyof Module>(
  t: Test,
  module: Module,
  name: Name,
  replacementOf: (original: Module[Name]) => unknown,
): void {
  const original = module[name]
  const set = (value: Module[Name]) => {
    module[name] = value
    syncBuiltinESMExports()
  }
  set(replacementOf(original) as Module[Name])
  t.teardown(() => set(original))
}

t.test('closing at any moment leaves no watch that would keep the process alive', async (t) => {
  const home = t.testdir({ one: { two: {} } })
  let onWatch = () => {}
  replace(t, fs, 'watch', (watch) => (...request: Parameters<typeof watch>) => {
    onWatch()
    return watch(...request)
  })
  for (let moments = 0; moments < 6; moments++) {
    const watcher = watchFolders(home, { followSymlinks: false })
    await new Promise<void>((resolve) => {
      // Closes this many microtasks after the first folder is watched.
      const close = async () => {
        for (let left = moments; left > 0; left--) await null
        await watcher.close()
      }
      onWatch = () => {
        onWatch = () => {}
        void Promise.resolve().then(close).then(resolve)
      }
    })
    await afterThisTurn()
    t.equal(watches(), otherWatches, `closed ${moments} microtasks later`)
  }
})

t.test('a removal that is noticed after closing opens no watch again', async (t) => {
  const home = t.testdir({ files: { one: { below: {} }, two: { below: {} } } })
  const held: Promise<unknown>[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const watcher = watchFolders(home, { followSymlinks: false })
  await once(watcher, 'ready')
  // chokidar reads a removed folder once more, and takes it for removed when that fails.
  replace(t, files, 'readdir', (readdir) => async (...request: Parameters<typeof readdir>) => {
    const reading = readdir(...request)
    if (request[1] !== undefined) return reading
    reading.catch(() => {})
    held.push(reading)
    await released
    return reading
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
  let read: string[] = []
  replace(t, files, 'readdir', (readdir) => (...request: Parameters<typeof readdir>) => {
    if (String(request[0]).startsWith(folder)) read.push(String(request[0]))
    return readdir(...request)
  })
  replace(t, fs, 'lstatSync', (lstatSync) => (...request: Parameters<typeof lstatSync>) => {
    if (String(request[0]).startsWith(folder)) read.push(String(request[0]))
    return lstatSync(...request)
  })
  const watcher = watchFolders(home, { followSymlinks: false, ignoreInitial: true })
  t.teardown(() => watcher.close())
  await once(watcher, 'ready')
  const [one, another] = [join(folder, 'one.md'), join(folder, 'new.md')]
  const change = async (work: () => void, expected: string) => {
    read = []
    work()
    await eventually(() => read.some((path) => path === expected || path === folder))
  }
  await change(() => writeFileSync(one, '1'), folder)
  for (let save = 0; save < 5; save++) {
    await change(() => writeFileSync(another, 'more'), another)
    t.strictSame(
      read.filter((path) => path !== another && path !== one),
      [],
      'a new file',
    )
    await change(() => renameSync(another, one), one)
    t.strictSame(
      read.filter((path) => path !== another && path !== one),
      [],
      'a replaced file',
    )
  }

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
