import type { PullRequestState } from '../../data/tables/pull-requests.ts'

export interface PullRequestListItem {
  number: number
  title: string
  state: PullRequestState
  head: string
  base: string
  author: string
  updatedAt: number
  draft: boolean
  url: string
  path: string
}

export interface PullRequestList {
  project: string
  /** Open ones first, then by most recent activity. */
  pulls: PullRequestListItem[]
  /** When they were last fetched, Unix milliseconds; null without a forge. */
  refreshedAt: number | null
  /** Whether the forge could not be contacted since; `problem` says why. */
  stale: boolean
  problem: string | null
}
