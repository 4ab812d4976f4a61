import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DiskError, HomeLockedError, lockHome } from '../../../data/tree/index.ts'
import { loaderArguments, moduleUrl } from '../../support/run-as-built.ts'

const lockModule = moduleUrl('data/tree/home-lock.ts')

/** Starts another process that locks the home until it is killed. */
async function holdElsewhere(t: Test, home: string): Promise<ChildProcess> {
  const script = `
    import { lockHome } from ${JSON.stringify(lockModule)}
    lockHome(${JSON.stringify(home)})
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, [...loaderArguments, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => holder.kill('SIGKILL'))
  await once(holder.stdout!, 'data')
  return holder
}

t.test('a home has one holder at a time, even within a process', async (t) => {
  const home = t.testdir({})
  const lock = lockHome(home)
  const refused = { name: 'HomeLockedError', pid: process.pid, message: new RegExp(`process ${process.pid}`) }
  t.throws(() => lockHome(home), refused)
  t.throws(() => lockHome(home), refused, 'a refused attempt changes nothing')
  lock.release()
  lock.release()
  const next = lockHome(home)
  t.throws(() => lockHome(home), HomeLockedError, 'a second release does not free the new lock')
  next.release()
})

t.test('two homes have independent locks', async (t) => {
  const folder = t.testdir({ a: {}, b: {} })
  const locks = ['a', 'b'].map((name) => lockHome(join(folder, name)))
  for (const lock of locks) lock.release()
})

t.test(
  'a second process learns at once who holds the home, and can lock it when that process is killed',
  async (t) => {
    const home = t.testdir({})
    const holder = await holdElsewhere(t, home)
    // A lock that waited for the holder would wait for ever.
    t.throws(() => lockHome(home), { name: 'HomeLockedError', pid: holder.pid! })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    t.equal(
      readFileSync(join(home, '.workroom/lock.pid'), 'utf8'),
      `${holder.pid}\n`,
      'a killed process leaves its id',
    )
    const lock = lockHome(home)
    t.equal(readFileSync(join(home, '.workroom/lock.pid'), 'utf8'), `${process.pid}\n`)
    t.throws(() => lockHome(home), { name: 'HomeLockedError', pid: process.pid })
    lock.release()
  },
)

t.test('a holder that has not written its process id yet is reported as unknown', async (t) => {
  const home = t.testdir({})
  const lock = lockHome(home)
  t.teardown(() => lock.release())
  writeFileSync(join(home, '.workroom/lock.pid'), '')
  t.throws(() => lockHome(home), { name: 'HomeLockedError', pid: null, message: /process unknown/ })
})

t.test('a lock that fails for the disk is a `DiskError`, and leaves the home free', async (t) => {
  const folder = t.testdir({ a: { '.workroom': 'a file' }, b: {} })
  t.throws(() => lockHome(join(folder, 'a')), DiskError)
  mkdirSync(join(folder, 'b/.workroom/lock.pid'), { recursive: true })
  t.throws(() => lockHome(join(folder, 'b')), { name: 'DiskError', errno: 'EISDIR' })
  t.throws(
    () => lockHome(join(folder, 'b')),
    { name: 'DiskError', errno: 'EISDIR' },
    'the failed attempt holds no lock',
  )
})
