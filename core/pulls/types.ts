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
  /** Unix milliseconds; null without a forge. */
  refreshedAt: number | null
  stale: boolean
  problem: string | null
}
