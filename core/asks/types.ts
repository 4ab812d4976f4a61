export const askKinds = ['question', 'work'] as const
export type AskKind = (typeof askKinds)[number]

export const askStates = ['open', 'claimed', 'resolved', 'cancelled'] as const
export type AskState = (typeof askStates)[number]

/** An ask as a caller sees it (`docs/interface.md#asks`). Members are ids, times Unix milliseconds. */
export interface AskView {
  _id: string
  projectId: string
  kind: AskKind
  title: string
  body: string
  options: string[]
  state: AskState
  createdBy: string
  assignees: string[]
  /** Still set after the ask is resolved or cancelled. */
  claimedBy: string | null
  chosenOption: string | null
  resolution: string | null
  createdAt: number
  updatedAt: number
}

export interface NewAsk {
  project: string
  title: string
  body?: string
  /** Defaults to `question` if there are options. */
  kind?: AskKind
  options?: string[]
  /** Ids or names. */
  assignees?: string[]
  roomId?: string
  sentVia?: string
  /** Requests with the same key within 24 hours create one ask. */
  idempotencyKey?: string
}

export interface Resolution {
  resolution?: string
  chosenOption?: string
}

export interface AskListOptions {
  project?: string
  state?: AskState
  /** At most 100. */
  limit: number
  cursor?: string
}

export interface AskList {
  asks: AskView[]
  nextCursor: string | null
}
