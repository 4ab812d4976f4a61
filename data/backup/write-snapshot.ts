import Sqlite from 'better-sqlite3'

/** Blocks; other processes may write meanwhile. Not synced. @param to must not exist @throws SqliteError */
export function snapshotDatabase(path: string, to: string): void {
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 5000 })
  try {
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
}
