import t from 'tap'
import { SharedRuns } from '../../../core/concurrency/shared-runs.ts'

/** Work that counts its runs and ends each on request. The second one fails. */
function counted() {
  let begun = 0
  const ends: (() => void)[] = []
  const work = async () => {
    const number = ++begun
    await new Promise<void>((resolve) => ends.push(resolve))
    if (number === 2) throw new Error('The second fails.')
    return number
  }
  return { work, ends, count: () => begun }
}

/** Lets all work run that can. */
const settle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

t.test('callers before a run begins share it, and later callers share the next one', async (t) => {
  const { work, ends, count } = counted()
  const runs = new SharedRuns<number>()
  const first = [runs.join('a', work), runs.join('a', work)]
  await settle()
  const second = [runs.join('a', work), runs.join('a', work)]
  await settle()
  t.equal(count(), 1, 'one run at a time')
  ends[0]!()
  t.same(await Promise.all(first), [1, 1])
  await settle()
  const third = runs.join('a', work)
  ends[1]!()
  for (const failed of second) await t.rejects(failed, { message: 'The second fails.' })
  await settle()
  ends[2]!()
  t.equal(await third, 3, 'a failed run does not fail the next one')
})

t.test('runs of different names do not wait for one another', async (t) => {
  const { work, ends, count } = counted()
  const runs = new SharedRuns<number>()
  const one = runs.join('a', work)
  const other = runs.join('b', work)
  await settle()
  t.equal(count(), 2)
  for (const end of ends) end()
  t.equal(await one, 1)
  await t.rejects(other)
})
