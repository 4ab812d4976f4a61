import t, { type Test } from 'tap'
import { IdempotencyKeys, requireIdempotencyKey } from '../../../core/concurrency/idempotency-keys.ts'
import { answeredRequestsTable } from '../../../data/tables/answered-requests.ts'
import { freshDirectories } from '../open-directories.ts'

const day = 24 * 60 * 60 * 1000

async function openAnswers(t: Test) {
  const { clock, database, members, owner } = await freshDirectories(t)
  const other = (await members.add({ name: 'Grace', type: 'human' })).member
  const table = answeredRequestsTable(database.connection)
  const answers = new IdempotencyKeys({ answeredRequests: table, clock })
  let works = 0
  return {
    clock,
    database,
    answers,
    other,
    owner,
    once: (key: string | null, { id } = owner) =>
      database.commit(() => answers.once(id, key, () => ({ work: ++works }))),
    kept: () => database.connection.prepare('SELECT key FROM answered_requests ORDER BY key').pluck().all(),
  }
}

t.test('for 24 hours a member’s repeated key gets the first request’s answer', async (t) => {
  const { clock, once, other } = await openAnswers(t)
  t.same(await once('a'), { work: 1 })
  t.same(await once('a'), { work: 1 })
  t.same(await once('b'), { work: 2 })
  t.same(await once('a', other), { work: 3 })
  clock.nowMs += day - 1
  t.same(await once('a'), { work: 1 })
  clock.nowMs += 1
  t.same(await once('a'), { work: 4 })
  t.same(await once('a'), { work: 4 })
})

t.test('a request without a key is always new, and nothing of it is stored', async (t) => {
  const { kept, once } = await openAnswers(t)
  t.same([await once(null), await once(null)], [{ work: 1 }, { work: 2 }])
  t.same(kept(), [])
})

t.test('two requests at once run the work once, and failed work can be tried again', async (t) => {
  const { answers, database, kept, once, owner } = await openAnswers(t)
  t.same(await Promise.all([once('a'), once('a')]), [{ work: 1 }, { work: 1 }])
  const failing = database.commit(() =>
    answers.once(owner.id, 'b', () => {
      throw new Error('no')
    }),
  )
  await t.rejects(failing, /no/)
  t.same(kept(), ['a'])
  t.same(await once('b'), { work: 2 })
})

t.test('the commit that stores an answer removes expired ones', async (t) => {
  const { clock, kept, once } = await openAnswers(t)
  await once('a')
  clock.nowMs += day / 2
  await once('b')
  clock.nowMs += day / 2
  t.same(kept(), ['a', 'b'])
  await once('c')
  t.same(kept(), ['b', 'c'])
})

t.test('a key has 1 to 128 printable characters', async (t) => {
  for (const key of ['a', ' ', 'é', '8e03978e-40d5-43dd-bc93-6894a57f9324', 'k'.repeat(128)]) {
    t.doesNotThrow(() => requireIdempotencyKey(key))
  }
  for (const key of ['', 'k'.repeat(129), 'a\tb', 'a\0', '\u200b']) {
    t.throws(() => requireIdempotencyKey(key), { code: 'bad_request' })
  }
})
