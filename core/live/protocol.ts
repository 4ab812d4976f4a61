/**
 * What the editor of a browser and the server tell each other about one text, as JSON in frames of `GET /live/documents/<id>`.
 * Texts are split at `\n` alone, positions count UTF-16 code units, and `changes` is the JSON of a ChangeSet of CodeMirror.
 */

export interface LiveMember {
  id: string
  name: string
  kind: string
}

export type LiveRange = [anchor: number, head: number]

/** How a change came about: by letters in an editor, by a save on the disk, by a request, or by the save of this text. */
export type LiveOrigin = 'typing' | 'file' | 'put' | 'save'

export interface LiveUpdate {
  clientId: string
  /** Counts the updates of an editor, so that none is taken twice. */
  seq: number
  changes: unknown
  member: { id: string; name: string }
  origin: LiveOrigin
}

/** The first message of an editor. With epoch and version it resumes. */
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
  /** What the first update changes. */
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
  /** Of an agent that says by presence where it works. */
  block?: string
}

interface SavedText {
  revision: string
  /** All updates up to this version are in the file. */
  version: number
  /** In milliseconds. */
  at: number
}

export interface OpenedMessage {
  type: 'opened'
  epoch: string
  version: number
  /** The whole text; absent where the editor resumes. */
  text?: string
  /** What the editor has missed. */
  updates?: LiveUpdate[]
  saved: SavedText
  people: LivePerson[]
}

/** Sent to all once it is durable, also to who has pushed it. */
export interface UpdatesMessage {
  type: 'updates'
  /** What the first update changes. */
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

/** An agent that says by presence that it is here has the id `presence:<memberId>`. */
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
  /** It happened to the file on the disk, of which `by` is taken to be the writer. */
  isOnDisk?: true
  /** The path of the page where it is now. */
  to?: string
  /** The path of the page of a draft that has the unsaved words. */
  draft?: string
}

/** Before the connection is closed, with one of `closeCodes`. */
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

/** Why the server closes a connection. Others, such as 1012 before a restart, are lost connections. */
export const closeCodes = {
  signedOut: 4401,
  forbidden: 4403,
  gone: 4404,
  badVersion: 4409,
  tooLarge: 4413,
  tooFast: 4429,
} as const
