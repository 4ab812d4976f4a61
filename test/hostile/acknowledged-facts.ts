import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { revisionOf } from '../../core/revisions/revision.ts'
import type { Ledger } from '../server/durability/ledger.ts'
import type { HttpResponse } from '../support/http-client.ts'

type Get = (path: string) => Promise<HttpResponse>

/** Something that must exist because a response acknowledged it. */
export interface AcknowledgedFact {
  about: string
  holds: (home: string, get: Get) => Promise<boolean> | boolean
}

/** Everything acknowledged in a home apart from the documents, which the ledger counts. */
export class AcknowledgedFacts {
  private readonly facts: AcknowledgedFact[] = []
  private checked = 0

  constructor(
    private readonly home: string,
    private readonly ledger: Ledger,
  ) {}

  add(about: string, holds: AcknowledgedFact['holds']): void {
    this.facts.push({ about, holds })
  }

  row(table: string, values: Record<string, string>): void {
    const columns = Object.keys(values)
    const sql = `SELECT 1 FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}`
    this.add(`${table} ${JSON.stringify(values)}`, (home) => hasRow(home, sql, Object.values(values)))
  }

  /** @param path in the home */
  file(path: string, text: string): void {
    this.ledger.send(text)
    this.add(path, (home) => readFileSync(join(home, path), 'utf8') === text)
  }

  /** The text must be the current file or a revision of the document. @param path in the home */
  fileOrRevision(id: string, path: string, text: string, description: string): void {
    const revision = this.ledger.send(text)
    this.add(`${description} in ${path}`, (home) => {
      if (hasRow(home, 'SELECT 1 FROM revisions WHERE document_id = ? AND revision = ?', [id, revision])) {
        return true
      }
      return revisionOf(readFileSync(join(home, path))) === revision
    })
  }

  /** A GET must answer 200 with this in its text. */
  readable(path: string, text: string): void {
    this.add(`GET ${path}`, async (_home, get) => {
      const response = await get(path)
      return response.status === 200 && response.text.includes(text)
    })
  }

  /** Checks the facts since the last `settle`, and `earlierCount` of the earlier ones. @returns the broken ones */
  async broken(get: Get, earlierCount: number, below: (limit: number) => number): Promise<string[]> {
    const checked = this.facts.slice(this.checked)
    for (let n = 0; n < earlierCount && this.checked > 0; n++) checked.push(this.facts[below(this.checked)]!)
    const broken: string[] = []
    for (const { about, holds } of checked) {
      const isTrue = await (async () => holds(this.home, get))().catch((error) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
        throw error
      })
      if (!isTrue) broken.push(`${about} is not there`)
    }
    return broken
  }

  /** Moves all facts to the earlier ones, which are checked by chance. */
  settle(): void {
    this.checked = this.facts.length
  }
}

function hasRow(home: string, sql: string, values: string[]): boolean {
  const db = new Sqlite(join(home, '.workroom/workroom.db'), { readonly: true })
  try {
    return db.prepare<string[]>(sql).get(...values) !== undefined
  } finally {
    db.close()
  }
}
