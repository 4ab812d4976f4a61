import type { Scope } from '../../access/member.ts'
import { treeFolderFor } from './document-paths.ts'
import type { AddressFolder, DocumentKind } from './types.ts'

export const scopes: Record<AddressFolder, { read: Scope; write: Scope }> = {
  posts: { read: 'posts:read', write: 'posts:write' },
  drafts: { read: 'drafts:read', write: 'drafts:write' },
  documents: { read: 'documents:read', write: 'documents:write' },
  home: { read: 'documents:read', write: 'documents:write' },
  board: { read: 'cards:read', write: 'cards:write' },
}

export const scopeFor = (kind: DocumentKind, intent: 'read' | 'write'): Scope =>
  scopes[kind === 'home' ? 'home' : treeFolderFor[kind]][intent]
