import Sqlite from 'better-sqlite3'
import { migrateByFiles } from '../../data/migrations.ts'

/** The text of `data/schema/structure.sql`: the schema that the numbered files create. */
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

/** The statements in the order of creation, without the shadow tables that virtual tables create. */
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
