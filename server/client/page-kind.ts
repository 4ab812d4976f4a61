/** The kinds of pages with a script of their own, `pages/<kind>.ts`. */
export type PageKind =
  | 'asks'
  | 'board'
  | 'card'
  /** Where a document, post or draft is read. */
  | 'document'
  /** The list of documents. */
  | 'documents'
  | 'editor'
  | 'files'
  | 'notifications'
  | 'passkeys'
  | 'plan'
  /** The overview of a project. */
  | 'project'
  | 'room'
  /** The pins and settings of a room, and what is shown before it is joined. */
  | 'room-details'
  /** Where a new key, code or secret is shown, once, to be copied. */
  | 'secrets'
