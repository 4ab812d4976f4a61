import Sqlite from 'better-sqlite3'
import { type Connection, Database, type DatabaseOptions } from './database.ts'
import { migrate, requireSchema } from './migrations.ts'

/** @throws SqliteError; SchemaError, with nothing changed, if it has another schema */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const connection = openConnection(path, options)
  return new Database(connection, options)
}

function openConnection(path: string, options: DatabaseOptions): Connection {
  try {
    return openWith(path, options, { isExclusive: false })
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return openWith(path, options, { isExclusive: true })
  }
}

/** `isAlone` keeps the log's shared memory in this process: no other can open the database then. */
function openWith(
  path: string,
  { migrates = false, mustExist = false }: DatabaseOptions,
  { isExclusive }: { isExclusive: boolean },
): Connection {
  const connection = new Sqlite(path, { timeout: 5000, fileMustExist: mustExist })
  try {
    if (isExclusive) connection.pragma('locking_mode = EXCLUSIVE')
    requireSchema(connection, { migrates })
    connection.pragma('journal_mode = WAL')
    connection.pragma('foreign_keys = ON')
    connection.pragma('cache_size = -32768')
    // After a power cut a migration is repeated, so that no flush is needed after each.
    connection.pragma('synchronous = NORMAL')
    migrate(connection)
    connection.pragma('synchronous = FULL')
    // With many writers in a transaction, SQLite would write what savepoints restore to a file on the disk.
    connection.pragma('temp_store = MEMORY')
    // From here on SQLite never waits, which would block all requests: `begin` waits.
    connection.pragma('busy_timeout = 0')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The log's shared memory takes 32 kB, without which one process can still read. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(?:IOERR_SHM|FULL)/.test(error.code)
