import type { DocumentRecord } from '../../../data/tables/documents.ts'

interface CachedRow {
  row: object
  basis: readonly unknown[]
}

/** A record is replaced when its document changes. JSON is cached as well (`server/middleware/long-lists.ts`). */
export class RowCache {
  private readonly rows = new WeakMap<DocumentRecord, CachedRow>()

  /** @param basis other values, compared by identity @param copies a row with conflict copies is not cached */
  get<Row extends object>(
    record: DocumentRecord,
    basis: readonly unknown[],
    copies: readonly string[],
    make: () => Row,
  ): Row {
    if (copies.length > 0) return make()
    const cached = this.rows.get(record)
    if (cached?.basis.every((value, index) => value === basis[index])) return cached.row as Row
    const row = make()
    this.rows.set(record, { row, basis })
    return row
  }
}
