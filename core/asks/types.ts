/** What somebody waits for: an answer, which a person gives, or work, which is claimed and done. */
export const askKinds = ['question', 'work'] as const
export type AskKind = (typeof askKinds)[number]

export const askStates = ['open', 'claimed', 'resolved', 'cancelled'] as const
export type AskState = (typeof askStates)[number]

/** An ask as a caller is shown it (`docs/interface.md#asks`). Members are ids, times Unix milliseconds. */
export interface AskView {
  _id: string
  projectId: string
  kind: AskKind
  title: string
  /** Mentions in canonical form. */
  body: string
  /** What a question can be answered; empty for work. */
  options: string[]
  state: AskState
  createdBy: string
  assignees: string[]
  /** Who holds it, or held it when it was resolved or cancelled. */
  claimedBy: string | null
  /** The answer to a question. */
  chosenOption: string | null
  resolution: string | null
  createdAt: number
  updatedAt: number
}

export interface NewAsk {
  /** Slug or id. */
  project: string
  title: string
  body?: string
  /** Default: a question where there are options, else work. */
  kind?: AskKind
  options?: string[]
  /** Ids or names. */
  assignees?: string[]
  /** Where it is announced: id or slug of a room that the caller is in. */
  roomId?: string
  /** The client that sends it, when it names itself. */
  sentVia?: string
  /** Requests with the same key within 24 hours are one. */
  idempotencyKey?: string
}

/** How an ask is resolved. */
export interface Resolution {
  resolution?: string
  /** To a question: one of its options. */
  chosenOption?: string
}

export interface AskList {
  /** Newest first. */
  asks: AskView[]
  /** Brings the asks behind these; null: there are none. */
  nextCursor: string | null
}
