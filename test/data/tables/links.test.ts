import t from 'tap'
import { documentsTable } from '../../../data/tables/documents.ts'
import { type LinkRow, linksTable } from '../../../data/tables/links.ts'
import { documentRecord } from '../../core/documents/document-record.ts'
import fc from '../../support/seeded-properties.ts'
import { populatedConnection } from './fresh-connection.ts'

const link = fc.record<LinkRow>({
  kind: fc.constantFrom('title', 'path'),
  key: fc.constantFrom('plan', 'notes'),
  token: fc.constantFrom('[[Plan]]', 'notes.md'),
  context: fc.constantFrom('See the plan.', 'Read on.'),
})

t.test('after any change, the links of a document are those of its text, in order', async (t) => {
  const db = populatedConnection(t)
  documentsTable(db).put(documentRecord())
  const links = linksTable(db)
  fc.assert(
    fc.property(fc.array(link, { maxLength: 5 }), (rows) => {
      links.replace('doc_1', rows)
      t.strictSame(
        links.of('doc_1').map((row) => ({ ...row })),
        rows.map((row) => ({ ...row })),
      )
    }),
    { numRuns: 200, seed: 5 },
  )
})
