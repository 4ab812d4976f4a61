export interface LiveMember {
  id: string
  name: string
  kind: string
}
export type Range = [anchor: number, head: number]
export interface OpenMessage {
  type: 'open'
  csrf: string
  clientId: string
  epoch?: string
  version?: number
}
export interface PushMessage {
  type: 'push'
  version: number
  updates: { seq: number; changes: unknown }[]
}
export type ClientMessage =
  | OpenMessage
  | PushMessage
  | { type: 'selection'; version: number; ranges: Range[] }
  | { type: 'save' }
export type Origin = 'typing' | 'file' | 'put' | 'patch' | 'block' | 'restore' | 'webdav'
export interface LiveUpdate {
  clientId: string
  seq: number
  changes: unknown
  member: { id: string; name: string }
  origin: Origin
}
export interface OpenedMessage {
  type: 'opened'
  epoch: string
  version: number
  text?: string
  updates?: LiveUpdate[]
  saved: { revision: string; version: number; at: number }
  people: { clientId: string; member: LiveMember; ranges: Range[] }[]
}
export interface UpdatesMessage {
  type: 'updates'
  from: number
  updates: LiveUpdate[]
}
export interface SelectionMessage {
  type: 'selection'
  clientId: string
  member: LiveMember
  version: number
  ranges: Range[]
}
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
export interface SavedMessage {
  type: 'saved'
  revision: string
  version: number
  at: number
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
  to?: string
  draft?: string
}
export interface RefusedMessage {
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
