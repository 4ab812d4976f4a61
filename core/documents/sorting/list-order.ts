import type { DocumentRecord } from '../../../data/tables/documents.ts'

type Key = number | string

/** The position of a document in a list, also after it has left. */
export interface ListPosition {
  key: Key
  tie: Key
}

/** A total order: no two documents of a list have one position. */
export class ListOrder {
  private readonly keyOf: (record: DocumentRecord) => Key
  private readonly tieOf: (record: DocumentRecord) => Key
  private readonly sign: 1 | -1

  constructor(
    keyOf: (record: DocumentRecord) => Key,
    tieOf: (record: DocumentRecord) => Key,
    direction: 'ascending' | 'descending',
  ) {
    this.keyOf = keyOf
    this.tieOf = tieOf
    this.sign = direction === 'ascending' ? 1 : -1
  }

  readonly compare = (a: DocumentRecord, b: DocumentRecord): number => {
    const order = compareKeys(this.keyOf(a), this.keyOf(b)) || compareKeys(this.tieOf(a), this.tieOf(b))
    return this.sign * order
  }

  /** Returns the index of a record among sorted ones, or where it would be. */
  indexIn(sorted: readonly DocumentRecord[], record: DocumentRecord): number {
    return firstIndex(sorted.length, (index) => this.compare(sorted[index]!, record) >= 0)
  }

  positionOf(record: DocumentRecord): ListPosition {
    return { key: this.keyOf(record), tie: this.tieOf(record) }
  }

  isAfter(record: DocumentRecord, { key, tie }: ListPosition): boolean {
    return this.sign * (compareKeys(this.keyOf(record), key) || compareKeys(this.tieOf(record), tie)) > 0
  }
}

export const lastEdited = ({ editedMs, publishedMs }: DocumentRecord): number => editedMs ?? publishedMs

export const mostRecentlyEdited = new ListOrder(lastEdited, ({ id }) => id, 'descending')

/** The first index at which `holds` is true; it is true at all later ones. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

const compareKeys = (one: Key, other: Key): number => (one === other ? 0 : one < other ? -1 : 1)
