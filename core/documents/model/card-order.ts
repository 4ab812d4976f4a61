import type { DocumentRecord } from '../../../data/tables/documents.ts'

/** The order of cards within a column; equal positions, which two moves at the same moment can give, by number. */
export const byPosition = (a: DocumentRecord, b: DocumentRecord): number =>
  a.position === b.position ? a.number! - b.number! : a.position! < b.position! ? -1 : 1
