import type { DocumentRecord } from '../../../data/tables/documents.ts'

/** By position, then by number: concurrent moves can give equal positions. */
export const byPosition = (a: DocumentRecord, b: DocumentRecord): number =>
  a.position === b.position ? a.number! - b.number! : a.position! < b.position! ? -1 : 1
