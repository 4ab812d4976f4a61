import t from 'tap'
import { RecentChanges } from '../../../core/change-topics/recent-changes.ts'

t.test('the changes after a sequence are known, each id once', async (t) => {
  const changed = new RecentChanges(10)
  changed.mark('a')
  t.same(changed.since(10), [], 'a change does not count before it is published')
  changed.publish(11)
  changed.mark('b')
  changed.mark('a')
  changed.publish(12)
  t.same(changed.since(10), ['a', 'b'])
  t.same(changed.since(11), ['b', 'a'])
  t.same(changed.since(12), [])
})

t.test('the changes since a forgotten sequence are unknown rather than none', async (t) => {
  const changed = new RecentChanges(10)
  t.equal(changed.since(9), null, 'a sequence of an earlier run')
  for (let n = 1; n <= 1500; n++) {
    changed.mark(`m${n}`)
    changed.publish(10 + n)
  }
  t.equal(changed.since(10), null)
  t.equal(changed.since(509), null)
  t.equal(changed.since(510)!.length, 1000)
})
