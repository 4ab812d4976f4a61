import type { PullRequestState } from '../../data/tables/pull-requests.ts'

/** A row of `pulls` (`docs/interface.md#repositories-and-pull-requests`). */
export interface PullRequestListItem {
  number: number
  title: string
  state: PullRequestState
  /** Branches. */
  head: string
  base: string
  /** Their name at the forge. */
  author: string
  /** Unix milliseconds. */
  updatedAt: number
  draft: boolean
  /** The page where a person reads the same. */
  url: string
  path: string
}

export interface PullRequestList {
  project: string
  /** Open ones first, then by most recent activity. */
  pulls: PullRequestListItem[]
  /** When the forge last told of them, Unix milliseconds; null: the project has no forge. */
  refreshedAt: number | null
  /** Whether the forge could not be asked since; `problem` says why. */
  stale: boolean
  problem: string | null
}
