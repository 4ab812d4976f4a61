import type { NameQuery, SearchableNames } from './name-query.ts'
import type { NameMatch } from './name-search.ts'

export type Candidate = NameMatch & SearchableNames

/** The buffer, as a multiple of the limit. */
const slack = 4

const order = new Intl.Collator('en', { numeric: true })

/** Collects the best of many names in bounded memory. */
export class TopMatches {
  private readonly query: NameQuery
  private readonly limit: number
  private held: { rank: number; thing: NameMatch }[] = []

  constructor(sought: NameQuery, limit: number) {
    this.query = sought
    this.limit = limit
  }

  add(candidate: Candidate): void {
    const rank = this.query.rank(candidate)
    if (rank === null) return
    const { kind, title, page, where } = candidate
    this.held.push({ rank, thing: { kind, title, page, ...(where !== undefined && { where }) } })
    if (this.held.length > this.limit * slack) this.sort()
  }

  /** Prefix matches first, then by name. */
  results(): NameMatch[] {
    this.sort()
    return this.held.map(({ thing }) => thing)
  }

  private sort(): void {
    this.held.sort(
      (one, other) =>
        one.rank - other.rank ||
        order.compare(one.thing.title, other.thing.title) ||
        order.compare(one.thing.page, other.thing.page),
    )
    this.held.length = Math.min(this.held.length, this.limit)
  }
}
