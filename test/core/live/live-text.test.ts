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

t.test('a displaced file based on an older revision is merged into the live text', async (t) => {
  const live = begun('North.\nSouth.\n')
  const save = (revision: string) => live.finishSave(live.beginSave(), { revision, text: live.text }, by)
  const replaced = (revision: string, text: string) =>
    live.applyDisplaced(textOf('North.\nSouth.\n'), { revision, text: textOf(text) }, by)
  type(live, ' Typed.', 6)
  save('r1')
  type(live, ' More.', 13)
  save('r2')
  t.ok(replaced('d1', 'North.\nSouth. By vim.\n'))
  t.equal(live.text.toString(), 'North. Typed. More.\nSouth. By vim.\n')
  t.notOk(live.isSaved)
  t.equal(replaced('d1', 'North.\nSouth. By vim.\n'), null, 'the same file is merged once')
  t.equal(replaced('d2', 'North.\nSouth.\n'), null)
})

t.test('updates that do not fit the text, or follow missing ones, are refused', async (t) => {
  const live = begun('One.\n')
  const push = (version: number, seq: number, changes: unknown) =>
    live.push({ clientId: 'one', memberId: 'ada' }, { type: 'push', version, updates: [{ seq, changes }] })
  t.throws(() => push(0, 1, [99, [0, 'x']]), { code: 'bad_request' })
  t.throws(() => push(0, 1, 'nonsense'), { code: 'bad_request' })
  t.throws(() => push(7, 1, [5, [0, 'x']]), { code: 'conflict' })
  t.equal(push(0, 1, [5, [0, 'x']]).length, 1)
  t.equal(push(0, 1, [5, [0, 'x']]).length, 0, 'an update sent again is ignored')
  t.equal(live.text.toString(), 'One.\nx')
  t.equal(push(1, 5, [6, [0, 'y']]).length, 1, 'numbers of an earlier epoch may be skipped')
})

t.test(
  'long updates are not kept for ever, and a save that began before they were dropped is complete',
  async (t) => {
    const live = begun('One.\n')
    const sent = live.beginSave()
    for (let count = 0; count < 9; count++) type(live, String(count).repeat(1_000_000), 0)
    t.equal(live.updatesSince(0), null)
    t.equal(live.updatesSince(live.version - 2)?.length, 2)
    const text = textOf('Uno.\n')
    live.finishSave(sent, { revision: 'r1', text }, by)
    t.equal(live.text.length, 9_000_005)
    t.match(live.text.sliceString(live.text.length - 5), 'Uno.')
    t.notOk(live.isSaved)
    t.same([...live.contributions], [['grace', 9_000_000]])
  },
)

t.test('a client is forgotten when its updates are no longer kept', async (t) => {
  const live = begun('One.\n')
  const push = () => {
    const updates = [{ seq: 1, changes: [5, [0, 'x']] }]
    return live.push({ clientId: 'first', memberId: 'ada' }, { type: 'push', version: 0, updates })
  }
  t.equal(push().length, 1)
  t.equal(push().length, 0)
  for (let count = 0; count < 9; count++) type(live, String(count).repeat(1_000_000), 0)
  t.throws(push, { code: 'conflict' })
})
