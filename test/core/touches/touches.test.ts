import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ChangeTopics, type Topic } from '../../../core/touches/touches.ts'
import { TestClock } from '../../support/test-clock.ts'

/** Marks topics as changed and waits until the change is published. */
async function touched(touches: ChangeTopics, ...topics: Topic[]): Promise<void> {
  touches.markChanged(...topics)
  await nextTurn()
}

t.test(
  'a topic counts as changed since an earlier sequence, and as unchanged since a later one',
  async (t) => {
    const touches = new ChangeTopics(new TestClock())
    const before = touches.sequence
    await touched(touches, 'room:one', 'workspace')
    const between = touches.sequence
    await touched(touches, 'room:two')
    const all: Topic[] = ['room:one', 'room:two', 'room:three', 'workspace']
    t.same(touches.changedSince(before, all), ['room:one', 'room:two', 'workspace'])
    t.same(touches.changedSince(between, all), ['room:two'])
    t.same(touches.changedSince(touches.sequence, all), [])
  },
)

t.test('topics changed in one turn are announced once, when they are readable', async (t) => {
  const touches = new ChangeTopics(new TestClock())
  const before = touches.sequence
  const told: unknown[] = []
  touches.onChange((topics) => told.push([...topics], touches.changedSince(before, ['presence'])))
  touches.markChanged('presence')
  touches.markChanged('presence', 'member:me')
  t.same([told, touches.sequence], [[], before], 'not before the turn ends')
  await nextTurn()
  t.same(told, [['presence', 'member:me'], ['presence']])
})

t.test('after a restart, every topic counts as changed since a sequence of an earlier run', async (t) => {
  const clock = new TestClock()
  const first = new ChangeTopics(clock)
  for (let count = 0; count < 3; count++) await touched(first, 'workspace')
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
  const touches = new ChangeTopics(new TestClock(), 2)
  const before = touches.sequence
  await touched(touches, 'room:1')
  const after = touches.sequence
  await touched(touches, 'room:2')
  await touched(touches, 'room:3')
  t.same(touches.changedSince(before, ['room:1', 'room:9']), ['room:1', 'room:9'])
  t.same(touches.changedSince(after, ['room:1', 'room:2', 'room:3']), ['room:2', 'room:3'])
})
