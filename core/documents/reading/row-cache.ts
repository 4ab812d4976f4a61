import type { DocumentRecord } from '../../../data/tables/documents.ts'

interface CachedRow {
  row: object
  basis: readonly unknown[]
}

/** Rows by record, which a change replaces. `server/middleware/long-lists.ts` keeps JSON of frozen rows. */
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
