import type { NameMatch } from './name-match.ts'
import type { NameQuery, Rank, SearchableNames } from './name-query.ts'

export type Candidate = NameMatch & SearchableNames

/** The list grows to this many times the limit before it is sorted and cut. */
const slack = 4

const order = new Intl.Collator('en', { numeric: true })

export class TopMatches {
  private matches: { rank: Rank; match: NameMatch }[] = []

  constructor(
    private readonly query: NameQuery,
    private readonly limit: number,
  ) {}

  add(candidate: Candidate): void {
    const rank = this.query.rank(candidate)
    if (rank === null) return
    const { kind, title, page, where } = candidate
    this.matches.push({ rank, match: { kind, title, page, ...(where !== undefined && { where }) } })
    if (this.matches.length > this.limit * slack) this.sort()
  }

  get hasExact(): boolean {
    return this.matches.some(({ rank }) => rank < 2)
  }

  /** Sorted by rank, then by name. Similar names only if there are no others. */
  results(): NameMatch[] {
    this.sort()
    const { hasExact } = this
    return this.matches.filter(({ rank }) => !hasExact || rank < 2).map(({ match }) => match)
  }

  private sort(): void {
    this.matches.sort(
      (one, other) =>
        one.rank - other.rank ||
        order.compare(one.match.title, other.match.title) ||
        order.compare(one.match.page, other.match.page),
    )
    this.matches.length = Math.min(this.matches.length, this.limit)
  }
}
