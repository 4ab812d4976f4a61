import Sqlite from 'better-sqlite3'
import type { Connection } from './database.ts'

/** How long a read waits while another process locks the database, as in a recovery. */
const timeoutMs = 1000

/** For other threads than that of `Database`. A statement sees all that was committed before it began. */
export function openForReading(path: string): Connection {
  const connection = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: timeoutMs })
  connection.pragma('cache_size = -16384')
  return connection
}
