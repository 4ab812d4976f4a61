import t from 'tap'
import { cardFieldError, cardFields, statusInFile } from '../../../../core/documents/model/card-fields.ts'

const isMember = (name: string) => name === 'Ada'
const problemOf = (fields: Record<string, unknown>) => cardFieldError(fields, isMember)

t.test('every valid field of a card is accepted', async (t) => {
  const good: Record<string, unknown>[] = [
    {},
    { status: 'drafted' },
    { status: 'active' },
    { status: 'closed' },
    { priority: 'urgent' },
    { kind: 'question' },
    { labels: [] },
    { labels: ['bug', 'ui'] },
    { assignees: ['Ada'] },
    { 'blocked-by': [1, 12] },
    { resolution: 'Done so.' },
    { due: '2026-12-24' },
    { due: '2026-12-24T18:00:00Z' },
    { status: null, priority: null, labels: null, due: null },
    { mine: { anything: [1] } },
  ]
  for (const fields of good) t.equal(problemOf(fields), null, JSON.stringify(fields))
})

t.test('the error for an invalid value names its key', async (t) => {
  const bad: Record<string, unknown[]> = {
    status: ['open', 1, ['active'], ''],
    priority: ['highest', 2],
    kind: ['bug'],
    labels: ['bug', [1], [''], { a: 1 }],
    assignees: ['Ada', ['Grace'], [1]],
    'blocked-by': [1, ['1'], [0], [1.5], [-1]],
    resolution: [1, ' '],
    due: ['tomorrow', '2026-02-30', 20261224, '24.12.2026'],
  }
  for (const [key, values] of Object.entries(bad)) {
    for (const value of values) {
      t.match(problemOf({ [key]: value }), `The card's ${key} `, `${key}: ${JSON.stringify(value)}`)
    }
  }
  t.match(problemOf({ assignees: ['Ada', 'Grace'] }), /names "Grace", who is no active member/)
})

t.test('a list shows a card’s valid fields and leaves out the others', async (t) => {
  t.same(cardFields({}), { priority: 'none', labels: [], assignees: [] })
  t.same(cardFields({ priority: 'high', labels: ['a', 1, ''], assignees: ['Ada', null] }), {
    priority: 'high',
    labels: ['a'],
    assignees: ['Ada'],
  })
  t.same(cardFields({ priority: 'soon', labels: 'a', assignees: {} }), {
    priority: 'none',
    labels: [],
    assignees: [],
  })
})

t.test('a status other than the three known ones counts as none', async (t) => {
  t.equal(statusInFile({ status: 'closed' }), 'closed')
  t.equal(statusInFile({ status: 'open' }), null)
  t.equal(statusInFile({ status: ['closed'] }), null)
  t.equal(statusInFile({}), null)
})
