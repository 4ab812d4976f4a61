import t from 'tap'
import { Locks } from '../../../core/concurrency/name-locks.ts'
import { eventually } from '../../support/eventually.ts'

/** Work that logs when it begins and ends, and ends on request. */
function work(log: string[], name: string) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const run = async () => {
    log.push(`${name} begins`)
    await ended
    log.push(`${name} ends`)
    return name
  }
  return { run, end }
}

/** Lets all work run that can. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

t.test('work on one name runs one at a time, in the order of arrival', async (t) => {
  const locks = new Locks()
  const log: string[] = []
  const [one, two, three] = ['one', 'two', 'three'].map((name) => work(log, name))
  const all = [one!, two!, three!].map(({ run }) => locks.run(['a'], run))
  await settle()
  t.same(log, ['one begins'])
  three!.end()
  one!.end()
  two!.end()
  t.same(await Promise.all(all), ['one', 'two', 'three'])
  t.same(log, ['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
})

t.test('of the waiting work, the one whose request is oldest runs next', async (t) => {
  const locks = new Locks()
  const log: string[] = []
  const [held, late, early] = ['held', 'late', 'early'].map((name) => work(log, name))
  const all = [
    locks.run(['a'], held!.run, 1),
    locks.run(['a'], late!.run, 3),
    locks.run(['a'], early!.run, 2),
  ]
  for (const { end } of [held!, late!, early!]) end()
  await Promise.all(all)
  t.same(
    log.filter((line) => line.endsWith('begins')),
    ['held begins', 'early begins', 'late begins'],
  )
})

t.test('work on different names runs concurrently', async (t) => {
  const locks = new Locks()
  const log: string[] = []
  const one = work(log, 'one')
  const two = work(log, 'two')
  const first = locks.run(['a'], one.run)
  const second = locks.run(['b'], two.run)
  await settle()
  t.same(log, ['one begins', 'two begins'])
  one.end()
  two.end()
  await Promise.all([first, second])
})

t.test('names are always locked in one order, so there is no deadlock', async (t) => {
  const locks = new Locks()
  let running = 0
  const alone = async () => {
    t.equal(++running, 1)
    await settle()
    running--
  }
  await Promise.all([
    locks.run(['a', 'b', 'c'], alone),
    locks.run(['c', 'b', 'a'], alone),
    locks.run(['b', 'b', 'a'], alone),
    locks.run(['c', 'a'], alone),
  ])
})

t.test('work that fails releases its names', async (t) => {
  const locks = new Locks()
  const failure = new Error('no luck')
  const fail = async () => {
    throw failure
  }
  await t.rejects(locks.run(['a', 'b'], fail), failure)
  t.equal(await locks.run(['b', 'a'], async () => 'free'), 'free')
})

t.test('work without names runs at once', async (t) => {
  t.equal(await new Locks().run([], async () => 'done'), 'done')
})

t.test(
  'a barrier waits for earlier work on its names, and no later work runs before the barrier ends',
  async (t) => {
    const locks = new Locks()
    const log: string[] = []
    const [inside, later, outside, moving] = ['inside', 'later', 'outside', 'moving'].map((name) =>
      work(log, name),
    )
    const isInA = (name: string) => name.startsWith('a/')
    const all = [locks.run(['a/x'], inside!.run)]
    all.push(locks.runWithBarrier(isInA, moving!.run))
    await settle()
    all.push(locks.run(['a/y', 'b/y'], later!.run), locks.run(['b/x'], outside!.run))
    await settle()
    t.same(log, ['inside begins', 'outside begins'])
    inside!.end()
    await eventually(() => log.includes('moving begins'))
    t.notOk(log.includes('later begins'), 'later work waits')
    moving!.end()
    await eventually(() => log.includes('later begins'))
    for (const { end } of [later!, outside!]) end()
    await Promise.all(all)
    t.same(await locks.runWithBarrier(isInA, async () => 'again'), 'again')
  },
)

t.test('a barrier ends when its work fails, and the next barrier runs after it', async (t) => {
  const locks = new Locks()
  const failing = locks.runWithBarrier(
    () => true,
    async () => {
      await settle()
      throw new Error('refused')
    },
  )
  const next = locks.runWithBarrier(
    () => true,
    async () => 'next',
  )
  const work = locks.run(['a'], async () => 'work')
  await t.rejects(failing, /refused/)
  t.same(await Promise.all([next, work]), ['next', 'work'])
})
