import type { DocumentRecord } from '../../../data/tables/documents.ts'

interface CachedRow {
  row: object
  basis: readonly unknown[]
}

/**
 * Rows of lists, kept for as long as their records live: a record is replaced when its document changes. A row that is the
 * same object as before is also written as JSON only once (`server/middleware/long-lists.ts`).
 */
export class RowCache {
  private readonly rows = new WeakMap<DocumentRecord, CachedRow>()

  /**
   * @param basis what else the row is made of; compared by identity
   * @param copies a row that names conflict copies is made anew each time
   */
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
