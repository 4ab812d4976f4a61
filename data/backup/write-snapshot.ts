import Sqlite from 'better-sqlite3'

/**
 * Writes the database to a new file while another process may be writing. Blocks for a time in proportion to its
 * size.
 * @param to must not exist; not synced
 * @throws SqliteError
 */
export function snapshotDatabase(path: string, to: string): void {
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 5000 })
  try {
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
}
