import type { DocumentKind } from './types.ts'

/** For links and search: a home page is a document, a draft is a post. */
export const baseKinds = {
  home: 'document',
  document: 'document',
  post: 'post',
  draft: 'post',
  card: 'card',
} as const satisfies Record<DocumentKind, DocumentKind>

/** For events and backlinks. */
export const docTypes = {
  home: 'note',
  document: 'note',
  post: 'post',
  draft: 'post',
  card: 'card',
} as const satisfies Record<DocumentKind, string>
