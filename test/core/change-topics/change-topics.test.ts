import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ChangeTopics, type Topic } from '../../../core/change-topics/change-topics.ts'
import { TestClock } from '../../support/test-clock.ts'

/** Marks topics as changed and waits until the change is published. */
async function changed(changeTopics: ChangeTopics, ...topics: Topic[]): Promise<void> {
  changeTopics.markChanged(...topics)
  await nextTurn()
}

t.test(
  'a topic counts as changed since an earlier sequence, and as unchanged since a later one',
  async (t) => {
    const changeTopics = new ChangeTopics(new TestClock())
    const before = changeTopics.sequence
    await changed(changeTopics, 'room:one', 'workspace')
    const between = changeTopics.sequence
    await changed(changeTopics, 'room:two')
    const all: Topic[] = ['room:one', 'room:two', 'room:three', 'workspace']
    t.same(changeTopics.changedSince(before, all), ['room:one', 'room:two', 'workspace'])
    t.same(changeTopics.changedSince(between, all), ['room:two'])
    t.same(changeTopics.changedSince(changeTopics.sequence, all), [])
  },
)

t.test('topics changed in one turn are announced once, when they are readable', async (t) => {
  const changeTopics = new ChangeTopics(new TestClock())
  const before = changeTopics.sequence
  const calls: unknown[] = []
  changeTopics.onChange((topics) => calls.push([...topics], changeTopics.changedSince(before, ['presence'])))
  changeTopics.markChanged('presence')
  changeTopics.markChanged('presence', 'member:me')
  t.same([calls, changeTopics.sequence], [[], before], 'not before the turn ends')
  await nextTurn()
  t.same(calls, [['presence', 'member:me'], ['presence']])
})

t.test('after a restart, every topic counts as changed since a sequence of an earlier run', async (t) => {
  const clock = new TestClock()
  const first = new ChangeTopics(clock)
  for (let count = 0; count < 3; count++) await changed(first, 'workspace')
  clock.advance(1)
  const second = new ChangeTopics(clock)
  t.ok(second.sequence > first.sequence)
  t.same(second.changedSince(first.sequence, ['room:one']), ['room:one'])
  t.same(second.changedSince(second.sequence, ['room:one']), [])
  clock.advance(-60_000)
  const third = new ChangeTopics(clock)
  t.same(third.changedSince(second.sequence, ['room:one']), ['room:one'], 'even if the clock was set back')
})

t.test('a forgotten topic counts as changed at the time when it was forgotten', async (t) => {
  const changeTopics = new ChangeTopics(new TestClock(), 2)
  const before = changeTopics.sequence
  await changed(changeTopics, 'room:1')
  const after = changeTopics.sequence
  await changed(changeTopics, 'room:2')
  await changed(changeTopics, 'room:3')
  t.same(changeTopics.changedSince(before, ['room:1', 'room:9']), ['room:1', 'room:9'])
  t.same(changeTopics.changedSince(after, ['room:1', 'room:2', 'room:3']), ['room:2', 'room:3'])
})
