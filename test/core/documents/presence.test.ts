import t from 'tap'
import { PresenceEntries } from '../../../core/documents/presence/presence-entries.ts'
import { DueTimer } from '../../../core/time/due-timer.ts'
import { eventually } from '../../support/eventually.ts'
import { TestClock } from '../../support/test-clock.ts'

/** Presence entries on a clock that starts at 0. */
function openEntries() {
  const clock = new TestClock(0)
  const entries = new PresenceEntries(clock)
  const beat = (documentId: string, memberId: string, block: string | null = null) =>
    entries.put(documentId, { memberId, kind: 'editing', block })
  const namesIn = (documentId: string) => entries.in(documentId).map(({ memberId }) => memberId)
  return { clock, entries, beat, namesIn }
}

t.test('an entry counts while it is younger than 90 seconds', async (t) => {
  const { clock, entries, beat, namesIn } = openEntries()
  beat('doc_1', 'ada')
  clock.advance(89_999)
  t.same(entries.in('doc_1'), [{ memberId: 'ada', kind: 'editing', block: null, lastSeenMs: 0 }])
  clock.advance(1)
  t.same(namesIn('doc_1'), [])
})

t.test('each heartbeat replaces the entry and puts its member and document first', async (t) => {
  const { clock, entries, beat, namesIn } = openEntries()
  beat('doc_1', 'ada', 'kaaaaaaa')
  beat('doc_1', 'bob')
  beat('doc_2', 'bob')
  t.same(
    [namesIn('doc_1'), entries.documentsOf()],
    [
      ['bob', 'ada'],
      ['doc_2', 'doc_1'],
    ],
  )
  clock.advance(10)
  entries.put('doc_1', { memberId: 'ada', kind: 'viewing', block: null })
  t.same(entries.in('doc_1')[0], { memberId: 'ada', kind: 'viewing', block: null, lastSeenMs: 10 })
  t.same(
    [namesIn('doc_1'), entries.documentsOf()],
    [
      ['ada', 'bob'],
      ['doc_1', 'doc_2'],
    ],
  )
})

t.test('leaving removes the entry, and the last one removes the document', async (t) => {
  const { entries, beat, namesIn } = openEntries()
  beat('doc_1', 'ada')
  beat('doc_1', 'bob')
  entries.remove('doc_1', 'ada')
  entries.remove('doc_1', 'ada')
  entries.remove('doc_2', 'ada')
  t.same(namesIn('doc_1'), ['bob'])
  entries.remove('doc_1', 'bob')
  t.same(entries.documentsOf(), [])
  beat('doc_3', 'ada')
  entries.removeAll('doc_3')
  t.same(entries.documentsOf(), [])
})

t.test('new block ids change neither the time nor the order of entries', async (t) => {
  const { clock, entries, beat, namesIn } = openEntries()
  beat('doc_1', 'ada', 'kaaaaaaa')
  beat('doc_1', 'bob')
  beat('doc_1', 'eve', 'kbbbbbbb')
  beat('doc_2', 'ada', 'kaaaaaaa')
  clock.advance(50_000)
  entries.rebind('doc_1', (block) => (block === 'kaaaaaaa' ? 'kccccccc' : null))
  entries.rebind('doc_3', () => null)
  t.same(
    entries.in('doc_1').map(({ memberId, block, lastSeenMs }) => [memberId, block, lastSeenMs]),
    [
      ['eve', null, 0],
      ['bob', null, 0],
      ['ada', 'kccccccc', 0],
    ],
  )
  t.equal(entries.in('doc_2')[0]!.block, 'kaaaaaaa', 'an equal id in another document stays')
  clock.advance(40_000)
  t.same(namesIn('doc_1'), [])
})

t.test('removing expired entries returns when the next one expires', async (t) => {
  const { clock, entries, beat } = openEntries()
  t.equal(entries.removeExpired(), null)
  beat('doc_1', 'ada')
  clock.advance(30_000)
  beat('doc_2', 'ada')
  t.equal(entries.removeExpired(), 90_000)
  clock.advance(60_000)
  t.equal(entries.removeExpired(), 120_000)
  t.same(entries.documentsOf(), ['doc_2'])
  clock.advance(30_000)
  t.equal(entries.removeExpired(), null)
  t.same(entries.documentsOf(), [])
})

t.test('expired entries of a document in use are removed', async (t) => {
  const { clock, entries, beat } = openEntries()
  for (let n = 0; n < 1000; n++) {
    clock.advance(1000)
    beat('doc_1', `mem_${n}`, 'kaaaaaaa')
  }
  const kept: string[] = []
  entries.rebind('doc_1', (block) => {
    kept.push(block)
    return block
  })
  t.equal(kept.length, 90)
})

t.test('90 seconds after 10,000 heartbeats in many documents nothing is kept', async (t) => {
  let waiting = 0
  const clock = new TestClock(0)
  const counting = {
    now: () => clock.now(),
    at(timeMs: number, ring: () => void) {
      waiting += 1
      const timer = clock.at(timeMs, () => {
        waiting -= 1
        ring()
      })
      return { cancel: timer.cancel }
    },
    after: (durationMs: number, ring: () => void) => clock.after(durationMs, ring),
    elapsed: () => clock.elapsed(),
    onJump: () => clock.onJump(),
    retentionCutoff: (ageMs: number) => clock.retentionCutoff(ageMs),
  }
  const entries = new PresenceEntries(counting)
  const timer = new DueTimer(
    counting,
    async () => entries.removeExpired(),
    (error) => t.error(error as Error),
  )
  for (let n = 0; n < 10_000; n++) {
    entries.put(`doc_${n % 3000}`, { memberId: `mem_${n % 7}`, kind: 'viewing', block: null })
    timer.dueAt(counting.now() + 90_000)
    clock.advance(3)
  }
  t.equal(waiting, 1, 'there is one timer for all')
  clock.advance(90_000)
  await eventually(() => entries.documentsOf().length === 0)
  t.equal(waiting, 0, 'there is no timer once nothing is left')
})

t.test('a clock set back neither keeps entries for ever nor loses fresh ones', async (t) => {
  const { clock, entries, beat, namesIn } = openEntries()
  clock.set(10_000_000)
  beat('doc_1', 'ada')
  clock.set(9_999_000)
  t.same(namesIn('doc_1'), ['ada'], 'one second back does not matter')
  clock.set(1_000_000)
  beat('doc_2', 'bob')
  t.same([namesIn('doc_1'), namesIn('doc_2')], [[], ['bob']])
  t.equal(entries.removeExpired(), 1_090_000)
  t.same(entries.documentsOf(), ['doc_2'])
})
