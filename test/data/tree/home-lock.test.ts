import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DiskError, HomeLockedError, lockHome } from '../../../data/tree/index.ts'
import { moduleAddress, moduleUrl } from '../../support/run-as-built.ts'

const lockModule = moduleAddress('data/tree/home-lock.ts')

/** Another process that holds the home until it is killed. */
async function holdElsewhere(t: Test, home: string): Promise<ChildProcess> {
  const script = `
    import { lockHome } from ${JSON.stringify(lockModule)}
    lockHome(${JSON.stringify(home)})
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, [...moduleUrl, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => holder.kill('SIGKILL'))
  await once(holder.stdout!, 'data')
  return holder
}

t.test('a home has one holder at a time, within a process too', async (t) => {
  const home = t.testdir({})
  const lock = lockHome(home)
  const refused = { name: 'HomeLockedError', pid: process.pid, message: new RegExp(`process ${process.pid}`) }
  t.throws(() => lockHome(home), refused)
  t.throws(() => lockHome(home), refused, 'the refusal changes nothing')
  lock.release()
  lock.release()
  const next = lockHome(home)
  t.throws(() => lockHome(home), HomeLockedError, 'a second release by the former holder frees nothing')
  next.release()
})

t.test('two homes are two locks', async (t) => {
  const folder = t.testdir({ a: {}, b: {} })
  const locks = ['a', 'b'].map((name) => lockHome(join(folder, name)))
  for (const lock of locks) lock.release()
})

t.test(
  'a second process is told at once who holds the home, and takes over when that one is killed',
  async (t) => {
    const home = t.testdir({})
    const holder = await holdElsewhere(t, home)
    const startedMs = performance.now()
    t.throws(() => lockHome(home), { name: 'HomeLockedError', pid: holder.pid! })
    t.ok(performance.now() - startedMs < 3000, 'without waiting for it, however busy the machine is')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    t.equal(
      readFileSync(join(home, '.workroom/lock.pid'), 'utf8'),
      `${holder.pid}\n`,
      'a killed process cleans up nothing',
    )
    const lock = lockHome(home)
    t.equal(readFileSync(join(home, '.workroom/lock.pid'), 'utf8'), `${process.pid}\n`)
    t.throws(() => lockHome(home), { name: 'HomeLockedError', pid: process.pid })
    lock.release()
  },
)

t.test('a holder that has not written its process id yet is unknown', async (t) => {
  const home = t.testdir({})
  const lock = lockHome(home)
  t.teardown(() => lock.release())
  writeFileSync(join(home, '.workroom/lock.pid'), '')
  t.throws(() => lockHome(home), { name: 'HomeLockedError', pid: null, message: /process unknown/ })
})

t.test('a home that cannot be locked is a failure of the disk, and stays free', async (t) => {
  const folder = t.testdir({ a: { '.workroom': 'a file' }, b: {} })
  t.throws(() => lockHome(join(folder, 'a')), DiskError)
  mkdirSync(join(folder, 'b/.workroom/lock.pid'), { recursive: true })
  t.throws(() => lockHome(join(folder, 'b')), { name: 'DiskError', errno: 'EISDIR' })
  t.throws(
    () => lockHome(join(folder, 'b')),
    { name: 'DiskError', errno: 'EISDIR' },
    'it was not held meanwhile',
  )
})
