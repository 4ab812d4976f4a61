import { ChangeSet } from '@codemirror/state'
import t from 'tap'
import { LiveText, textOf } from '../../../core/live/live-text.ts'

const by = { memberId: 'ada', origin: 'file' as const }

function begun(words: string): LiveText {
  const text = textOf(words)
  return new LiveText('e', { revision: 'r0', text, version: 0, unsaved: ChangeSet.empty(text.length) })
}

function type(live: LiveText, insert: string, at: number): void {
  const changes = ChangeSet.of({ from: at, insert }, live.text.length).toJSON() as unknown
  live.push(
    { clientId: 'one', memberId: 'grace' },
    {
      type: 'push',
      version: live.version,
      updates: [{ seq: live.version + 1, changes }],
    },
  )
}

t.test('what was saved on the disk while the text was saved comes into the text', async (t) => {
  const live = begun('North.\nSouth.\n')
  type(live, ' Typed.', 6)
  const sent = { version: live.version, sent: live.text }
  live.saved(sent, { revision: 'r1', text: live.text }, by)
  type(live, ' More.', 13)
  // Written on the revision before, and replaced by r1.
  live.displaced(textOf('North.\nSouth. By vim.\n'), by)
  t.equal(live.text.toString(), 'North. Typed. More.\nSouth. By vim.\n')
  t.notOk(live.isSaved)
  t.equal(live.displaced(textOf('North.\nSouth.\n'), by), null)
})

t.test('changes that do not fit, or that follow what is missing, are refused', async (t) => {
  const live = begun('One.\n')
  const push = (version: number, seq: number, changes: unknown) =>
    live.push({ clientId: 'one', memberId: 'ada' }, { type: 'push', version, updates: [{ seq, changes }] })
  t.throws(() => push(0, 1, [99, [0, 'x']]), { code: 'bad_request' })
  t.throws(() => push(0, 1, 'nonsense'), { code: 'bad_request' })
  t.throws(() => push(7, 1, [5, [0, 'x']]), { code: 'conflict' })
  t.throws(() => push(0, 2, [5, [0, 'x']]), { code: 'conflict' })
  t.equal(push(0, 1, [5, [0, 'x']]).length, 1)
  t.equal(push(0, 1, [5, [0, 'x']]).length, 0, 'sent again')
  t.equal(live.text.toString(), 'One.\nx')
})
