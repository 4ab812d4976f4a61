import t from 'tap'
import { documentsTable } from '../../../data/tables/documents.ts'
import { type LinkRow, linksTable } from '../../../data/tables/links.ts'
import { documentRecord } from '../../core/documents/document-record.ts'
import fc from '../../support/seeded-properties.ts'
import { populatedConnection } from './fresh-connection.ts'

const link = fc.record({
  kind: fc.constantFrom<LinkRow['kind']>('title', 'path'),
  key: fc.constantFrom('plan', 'notes'),
  token: fc.constantFrom('[[Plan]]', 'notes.md'),
  hasGap: fc.boolean(),
})

t.test('after any change, a document’s links are those of its text, in order', async (t) => {
  const db = populatedConnection(t)
  documentsTable(db).put(documentRecord())
  const links = linksTable(db)
  fc.assert(
    fc.property(fc.array(link, { maxLength: 5 }), (found) => {
      let next = 0
      const rows = found.map(({ hasGap, ...row }) => {
        const place = next + (hasGap ? 1 : 0)
        next = place + 1
        return { ...row, place }
      })
      links.replace('doc_1', rows)
      t.strictSame(
        links.of('doc_1').map((row) => ({ ...row })),
        rows.map((row) => ({ ...row })),
      )
    }),
    { numRuns: 200, seed: 5 },
  )
})
