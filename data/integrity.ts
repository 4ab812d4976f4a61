import type { Connection } from './database.ts'
import { searchTable } from './tables/search.ts'

const maxProblems = 20

/** SQLite does not check that the index has the texts. */
const missingInIndex = `
  SELECT count(*) FROM search_entries
  WHERE NOT EXISTS (SELECT 1 FROM search_text_docsize AS indexed WHERE indexed.id = search_entries.id)`

/** Reads everything without blocking writers. */
export function integrityProblems(db: Connection): string[] {
  const integrity = db.pragma(`integrity_check(${maxProblems})`) as { integrity_check: string }[]
  const unindexed = db.prepare<[], number>(missingInIndex).pluck().get()!
  const violations = db.pragma('foreign_key_check') as {
    table: string
    rowid: number | null
    parent: string
  }[]
  return [
    ...integrity.map(({ integrity_check }) => integrity_check).filter((words) => words !== 'ok'),
    ...(unindexed > 0 ? [`${unindexed} entries of the search are missing in search_text`] : []),
    ...violations.slice(0, maxProblems).map(({ table, rowid, parent }) => {
      const row = rowid === null ? 'a row' : `row ${rowid}`
      return `${row} of ${table} names one of ${parent} that is not there`
    }),
  ]
}

export const quickCheckProblems = (db: Connection): string[] =>
  (db.pragma(`quick_check(${maxProblems})`) as { quick_check: string }[])
    .map(({ quick_check }) => quick_check)
    .filter((words) => words !== 'ok')

export function rebuildIndexes(db: Connection): void {
  db.exec('REINDEX')
  db.transaction(() => searchTable(db).rebuild())()
}

/** Removes rows with missing foreign keys, repeatedly. @returns how many */
export function removeOrphans(db: Connection): number {
  const violations = db.prepare<[], { table: string; fkid: number }>(
    'SELECT DISTINCT "table", fkid FROM pragma_foreign_key_check',
  )
  let removed = 0
  db.pragma('foreign_keys = OFF')
  for (let found = violations.all(); found.length > 0; found = violations.all()) {
    const before = removed
    for (const { table, fkid } of found) removed += removeOrphansOf(db, table, fkid)
    // What cannot be removed is damage of another kind.
    if (removed === before) break
  }
  db.pragma('foreign_keys = ON')
  return removed
}

function removeOrphansOf(db: Connection, table: string, fkid: number): number {
  const keys = (db.pragma(`foreign_key_list("${table}")`) as ForeignKey[]).filter(({ id }) => id === fkid)
  const hasParentKey = keys.map(({ from }) => `"${table}"."${from}" IS NOT NULL`).join(' AND ')
  const matchesParent = keys
    .map(({ from, to }) => `parent."${to ?? from}" = "${table}"."${from}"`)
    .join(' AND ')
  return db
    .prepare(
      `DELETE FROM "${table}" WHERE ${hasParentKey} AND NOT EXISTS (SELECT 1 FROM "${keys[0]!.table}" AS parent WHERE ${matchesParent})`,
    )
    .run().changes
}

interface ForeignKey {
  id: number
  table: string
  from: string
  to: string | null
}
