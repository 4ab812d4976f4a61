import type { NameQuery, SearchableNames } from './name-query.ts'
import type { NameMatch } from './name-search.ts'

/** Something that may be what somebody looks for. */
export type Candidate = NameMatch & SearchableNames

/** Kept are so many times what is wanted, before those that are not are let go. */
const slack = 4

const order = new Intl.Collator('en', { numeric: true })

/** The best of many names, few of which are ever held. */
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

  /** Those whose name begins with what is looked for, then the others; by name in each. */
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
