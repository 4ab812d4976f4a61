import type { DocumentRecord } from '../../../data/tables/documents.ts'

interface CachedRow {
  row: object
  basis: readonly unknown[]
}

/**
 * A record is replaced when its document changes. The rows are frozen, which tells the server that it may keep their
 * JSON (`server/middleware/long-lists.ts`).
 */
export class RowCache {
  private readonly rows = new WeakMap<DocumentRecord, CachedRow>()

  /** @param basis other values, compared by identity */
  get<Row extends object>(record: DocumentRecord, basis: readonly unknown[], make: () => Row): Row {
    const cached = this.rows.get(record)
    if (cached?.basis.every((value, index) => value === basis[index])) return cached.row as Row
    const row = Object.freeze(make())
    this.rows.set(record, { row, basis })
    return row
  }
}
