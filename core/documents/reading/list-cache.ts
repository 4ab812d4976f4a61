import { LRUCache } from 'lru-cache'

interface CachedList {
  rows: object[]
  basis: readonly unknown[]
}

/** In all lists together; a longer list is made for each request. */
const maxRows = 50_000

/** Whole lists. The JSON of a list is cached as well (`server/middleware/long-lists.ts`), so lists are not modified. */
export class ListCache {
  private readonly lists = new LRUCache<string, CachedList>({
    maxSize: maxRows,
    sizeCalculation: ({ rows }) => rows.length + 1,
  })

  /** @param basis all that the rows depend on, compared by identity, as it was before `make` is called */
  async get<Row extends object>(
    key: string,
    basis: readonly unknown[],
    make: () => Promise<Row[]>,
  ): Promise<Row[]> {
    const cached = this.lists.get(key)
    if (cached?.basis.every((value, index) => value === basis[index])) return cached.rows as Row[]
    const rows = await make()
    this.lists.set(key, { rows, basis })
    return rows
  }
}
