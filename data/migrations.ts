import { readdirSync, readFileSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import { decompress, packText } from './compression.ts'
import { packStamp } from './packed-stamps.ts'
import { programFile } from './program.ts'

export class SchemaError extends Error {
  readonly found: number
  readonly known: number

  constructor(found: number, known: number) {
    super(
      found > known
        ? `This database was written by a newer Workroom (schema ${found}; this program knows ${known}).`
        : `This database has schema ${found}; this program needs ${known}.`,
    )
    this.name = 'SchemaError'
    this.found = found
    this.known = known
  }
}

const folder = programFile('data/schema/')

const schemaFiles = (): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()

export const latestSchema = (): number => schemaFiles().length

const schemaVersion = (connection: Sqlite.Database): number =>
  connection.pragma('user_version', { simple: true }) as number

/** @throws SchemaError unless the schema is this program's, older and may be migrated, or empty */
export function requireSchema(connection: Sqlite.Database, { migrates }: { migrates: boolean }): void {
  const [found, known] = [schemaVersion(connection), latestSchema()]
  if (found === known || (found < known && (migrates || isEmpty(connection)))) return
  throw new SchemaError(found, known)
}

const isEmpty = (connection: Sqlite.Database): boolean =>
  connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0

/** An empty database gets its schema from one file, which takes a sixth of the time. */
export function migrate(connection: Sqlite.Database): void {
  if (schemaVersion(connection) === 0) createSchema(connection)
  migrateByFiles(connection)
}

function createSchema(connection: Sqlite.Database): void {
  const sql = readFileSync(new URL('structure.sql', folder), 'utf8')
  connection
    .transaction(() => {
      // Another process may have created it while this one waited for the lock.
      if (!isEmpty(connection)) return
      connection.exec(sql)
      connection.pragma(`user_version = ${latestSchema()}`)
    })
    .immediate()
}

export function migrateByFiles(connection: Sqlite.Database): void {
  if (schemaVersion(connection) < latestSchema()) addSchemaFunctions(connection)
  for (const [index, name] of schemaFiles().entries()) {
    if (index < schemaVersion(connection)) continue
    const sql = readFileSync(new URL(name, folder), 'utf8')
    connection
      .transaction(() => {
        // Another process may have run it while this one waited for the lock.
        if (index < schemaVersion(connection)) return
        connection.exec(sql)
        connection.pragma(`user_version = ${index + 1}`)
      })
      .immediate()
  }
}

/** Functions for schema files. They return null for damaged values. */
export function addSchemaFunctions(connection: Sqlite.Database): void {
  const orNull =
    (convert: (...values: never[]) => string | Uint8Array) =>
    (...values: unknown[]) => {
      try {
        return convert(...(values as never[]))
      } catch {
        return null
      }
    }
  connection.function(
    'packed_stamp',
    { deterministic: true, varargs: true },
    orNull((json: string) => packStamp(JSON.parse(json))),
  )
  connection.function(
    'packed_text',
    { deterministic: true, varargs: true },
    orNull((text: string, contexts: string, compressed: Uint8Array) =>
      packText({ text, contexts: JSON.parse(contexts) }, decompress(compressed)),
    ),
  )
}
