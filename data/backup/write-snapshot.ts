import Sqlite from 'better-sqlite3'

/** Blocks this process only. Not synced. `to` must not exist. */
export function snapshotDatabase(path: string, to: string): void {
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 5000 })
  try {
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
}
