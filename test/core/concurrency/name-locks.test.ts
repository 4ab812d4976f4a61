import t from 'tap'
import { Locks } from '../../../core/concurrency/name-locks.ts'
import { eventually } from '../../support/eventually.ts'

/** A piece of work that says when it runs, and ends when it is told to. */
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

/** Lets everything happen that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

t.test('work on one name runs one after the other, in the order in which it came', async (t) => {
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

t.test('of those who wait, whoever’s request came first is next', async (t) => {
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

t.test('work on other names runs beside it', async (t) => {
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

t.test('names are taken in one order, so that nobody waits in a circle', async (t) => {
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

t.test('work that fails lets go of its names', async (t) => {
  const locks = new Locks()
  const failure = new Error('no luck')
  const fail = async () => {
    throw failure
  }
  await t.rejects(locks.run(['a', 'b'], fail), failure)
  t.equal(await locks.run(['b', 'a'], async () => 'free'), 'free')
})

t.test('work without a name waits for nobody', async (t) => {
  t.equal(await new Locks().run([], async () => 'done'), 'done')
})

t.test(
  'behind a barrier nothing runs that it covers, however long work was under way before it',
  async (t) => {
    const locks = new Locks()
    const log: string[] = []
    const [inside, later, outside, moving] = ['inside', 'later', 'outside', 'moving'].map((name) =>
      work(log, name),
    )
    const isInA = (name: string) => name.startsWith('a/')
    const all = [locks.run(['a/x'], inside!.run)]
    all.push(locks.runBehindBarrier(isInA, moving!.run))
    await settle()
    all.push(locks.run(['a/y', 'b/y'], later!.run), locks.run(['b/x'], outside!.run))
    await settle()
    t.same(log, ['inside begins', 'outside begins'])
    inside!.end()
    await eventually(() => log.includes('moving begins'))
    t.notOk(log.includes('later begins'), 'whoever comes later waits')
    moving!.end()
    await eventually(() => log.includes('later begins'))
    for (const { end } of [later!, outside!]) end()
    await Promise.all(all)
    t.same(await locks.runBehindBarrier(isInA, async () => 'again'), 'again')
  },
)

t.test('a barrier is lifted when its work fails, and the next one waits for it', async (t) => {
  const locks = new Locks()
  const failing = locks.runBehindBarrier(
    () => true,
    async () => {
      await settle()
      throw new Error('refused')
    },
  )
  const next = locks.runBehindBarrier(
    () => true,
    async () => 'next',
  )
  const work = locks.run(['a'], async () => 'work')
  await t.rejects(failing, /refused/)
  t.same(await Promise.all([next, work]), ['next', 'work'])
})
