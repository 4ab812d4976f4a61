/**
 * JSON messages between a browser's editor and the server, in frames of `GET /live/documents/<id>`. Texts are
 * split at `\n` alone, positions count UTF-16 code units, `changes` is the JSON of a CodeMirror ChangeSet.
 */

export interface LiveMember {
  id: string
  name: string
  kind: string
}

export type LiveRange = [anchor: number, head: number]

/** Where a change comes from: an editor, a save on the disk, a request, or the save of this text. */
export type LiveOrigin = 'typing' | 'file' | 'put' | 'save'

export interface LiveUpdate {
  clientId: string
  /** Counts the updates of an editor, so that none is applied twice. */
  seq: number
  changes: unknown
  member: { id: string; name: string }
  origin: LiveOrigin
}

/** The first message of an editor, which resumes with epoch and version. */
export interface OpenMessage {
  type: 'open'
  csrf: string
  /** A UUID of this editor. */
  clientId: string
  epoch?: string
  version?: number
}

export interface PushMessage {
  type: 'push'
  /** The version that the first update changes. */
  version: number
  updates: { seq: number; changes: unknown }[]
}

export type ClientMessage =
  | OpenMessage
  | PushMessage
  | { type: 'selection'; version: number; ranges: LiveRange[] }
  | { type: 'save' }

export interface LivePerson {
  clientId: string
  member: LiveMember
  ranges: LiveRange[]
  /** The block where an agent is present. */
  block?: string
}

interface SavedText {
  revision: string
  /** All updates up to this version are in the file. */
  version: number
  /** Unix milliseconds. */
  at: number
}

export interface OpenedMessage {
  type: 'opened'
  epoch: string
  version: number
  /** The whole text; absent if the editor resumes. */
  text?: string
  updates?: LiveUpdate[]
  saved: SavedText
  people: LivePerson[]
}

/** Sent to all editors once the updates are durable, also to the one that pushed them. */
export interface UpdatesMessage {
  type: 'updates'
  /** The version that the first update changes. */
  from: number
  updates: LiveUpdate[]
}

export interface SelectionMessage {
  type: 'selection'
  clientId: string
  member: LiveMember
  version: number
  ranges: LiveRange[]
}

/** The `clientId` of an agent that is present is `presence:<memberId>`. */
export interface JoinedMessage {
  type: 'joined'
  clientId: string
  member: LiveMember
  block?: string
}

export interface LeftMessage {
  type: 'left'
  clientId: string
  member: LiveMember
}

export interface SavedMessage extends SavedText {
  type: 'saved'
}

export interface SaveFailedMessage {
  type: 'saveFailed'
  code: string
  message: string
  willRetry: boolean
}

export interface GoneMessage {
  type: 'gone'
  reason: 'deleted' | 'moved' | 'renamed' | 'published'
  by: { id: string; name: string } | null
  /** The file changed on the disk; `by` is inferred from its owner. */
  isOnDisk?: true
  /** The page path where the document is now. */
  to?: string
  /** The page path of a draft with the unsaved text. */
  draft?: string
}

/** Sent before the connection is closed with one of `closeCodes`. */
interface RefusedMessage {
  type: 'refused'
  code: string
  message: string
}

export type ServerMessage =
  | OpenedMessage
  | UpdatesMessage
  | SelectionMessage
  | JoinedMessage
  | LeftMessage
  | SavedMessage
  | SaveFailedMessage
  | GoneMessage
  | RefusedMessage

/** Other codes, such as 1012 before a restart, mean a lost connection. */
export const closeCodes = {
  signedOut: 4401,
  forbidden: 4403,
  gone: 4404,
  badVersion: 4409,
  tooLarge: 4413,
  tooFast: 4429,
} as const
