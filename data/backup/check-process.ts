import Sqlite from 'better-sqlite3'
import { quickCheckProblems } from '../integrity.ts'

const [, , path] = process.argv
try {
  process.stdout.write(JSON.stringify(integrityProblemsOf(path!)))
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function integrityProblemsOf(path: string): string[] {
  try {
    const connection = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5000 })
    try {
      return quickCheckProblems(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code))
      return [error.message]
    throw error
  }
}
