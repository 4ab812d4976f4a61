import Sqlite from 'better-sqlite3'
import { migrateByFiles } from '../../data/migrations.ts'

/** The statements of `data/schema/structure.sql`: what the numbered files make of an empty database. */
export function schemaOfFiles(): string {
  const connection = new Sqlite(':memory:')
  try {
    migrateByFiles(connection)
    const heading = '-- Made from the numbered files by `npm run schema`; a test compares them.'
    return `${[heading, ...statementsOf(connection)].join('\n\n')}\n`
  } finally {
    connection.close()
  }
}

/** In the order in which they were made. What a virtual table keeps its rows in comes with it. */
function statementsOf(connection: Sqlite.Database): string[] {
  const sql = connection
    .prepare(
      `SELECT sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
       ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'view' THEN 1 ELSE 2 END, rowid`,
    )
    .pluck()
    .all() as string[]
  return sql.map((statement) => `${statement};`)
}
