import t from 'tap'
import { newIdFactory, newSecret } from '../../core/ids.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { TestClock } from '../support/test-clock.ts'

t.test('an id is its prefix and a lower-case ULID', async (t) => {
  const newId = newIdFactory(new TestClock(), seededRandom('ids'))
  for (const prefix of ['mem', 'room', 'msg', 'prj', 'doc', 'cmt', 'ask', 'att', 'key'] as const) {
    t.match(newId(prefix), new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`))
  }
  t.match(newId('wh'), /^wh_.{26}$/)
})

t.test(
  'ids sort in the order of their creation, even within a millisecond and when the clock steps back',
  async (t) => {
    const clock = new TestClock(1_800_000_000_000)
    const newId = newIdFactory(clock, seededRandom('order'))
    const ids: string[] = []
    for (const ms of [0, 0, 0, 1, 0, 5, -1000, 0, 2000]) {
      clock.set(clock.now() + ms)
      ids.push(newId('doc'))
    }
    t.same(ids, ids.toSorted())
    t.equal(new Set(ids).size, ids.length)
  },
)

t.test('a secret is its prefix and 43 base62 characters, all equally likely', async (t) => {
  const random = seededRandom('secrets')
  const counts = new Map<string, number>()
  for (let n = 0; n < 500; n++) {
    const secret = newSecret('wr_', random)
    t.match(secret, /^wr_[0-9A-Za-z]{43}$/)
    for (const character of secret.slice(3)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  t.equal(counts.size, 62)
  const expected = (500 * 43) / 62
  for (const [character, count] of counts) {
    t.ok(Math.abs(count - expected) < expected / 3, `${character}: ${count} of about ${Math.round(expected)}`)
  }
})

t.test('random bytes that would favour some characters are discarded', async (t) => {
  let turn = 0
  const secret = newSecret('whs_', (count) => new Uint8Array(count).fill(turn++ === 0 ? 255 : 61))
  t.equal(secret, `whs_${'z'.repeat(43)}`)
})
