import Sqlite from 'better-sqlite3'

/**
 * Writes the database as it is at this moment into a new file, beside a process that goes on writing. It takes as long
 * as the database is large, and no turn of the event loop in between.
 * @param to a path where nothing is; whoever needs it to be durable syncs it
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
