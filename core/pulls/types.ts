import type { PullRequestState } from '../../data/tables/pull-requests.ts'

/** `docs/interface.md#repositories-and-pull-requests` */
export interface PullRequestListItem {
  number: number
  title: string
  state: PullRequestState
  /** Branches. */
  head: string
  base: string
  /** At the forge. */
  author: string
  /** Unix milliseconds. */
  updatedAt: number
  draft: boolean
  url: string
  path: string
}

export interface PullRequestList {
  project: string
  /** Open ones first, then by most recent activity. */
  pulls: PullRequestListItem[]
  /** When they were last fetched, Unix milliseconds; null if the project has no forge. */
  refreshedAt: number | null
  /** Whether fetching failed since; `problem` tells why. */
  stale: boolean
  problem: string | null
}
