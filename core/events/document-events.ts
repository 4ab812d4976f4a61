import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { Caller, Scope } from '../access/member.ts'
import { hasScope, maySeeDraft } from '../access/permissions.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { type DocumentEvent, parseDetail } from '../documents/model/document-event.ts'
import type { MemberStore } from '../members/member-store.ts'
import { pagePathForTreePath } from '../paths.ts'
import type { Clock } from '../time/clock.ts'
import type { EventPresenter } from './kinds.ts'

/** How long events of documents are visible (`docs/interface.md#limits`). */
export const visibleMs = 24 * 60 * 60 * 1000

export interface DocumentEventDeps {
  clock: Clock
  members: MemberStore
  catalogue: Catalogue
  documents: DocumentsTable
  pageUrl: (path: string) => string
}

type Detail = DocumentEvent['detail']

/** Only its author may know the path of a draft. */
const isDraftPath = (path: string | undefined) =>
  path !== undefined && /^\/v1\/fs\/projects\/[^/]+\/drafts\//.test(path)

const isNewTo = (variant: string, created: true | undefined) =>
  variant === 'restricted' ? undefined : variant === 'arrived' || created

const scopes: Record<Detail['docType'], Scope> = {
  note: 'documents:read',
  post: 'posts:read',
  card: 'cards:read',
}

/** As of their time (`docs/interface.md#events`). Only its author ever sees the events of a draft. */
export function documentEvents(deps: DocumentEventDeps): EventPresenter {
  const { clock, members, catalogue, documents, pageUrl } = deps
  const details = new Map<number, Detail>()
  const deleted = new Map<string, DocumentRecord>()

  const detailOf = ({ tick, detail }: EventRecord): Detail => {
    const cached = details.get(tick) ?? parseDetail(detail)
    details.set(tick, cached)
    return cached
  }
  const find = (id: string): DocumentRecord => {
    const live = catalogue.find(id)
    if (live) return live
    const record = deleted.get(id) ?? documents.find(id)!
    deleted.set(id, record)
    return record
  }
  const isAuthor = ({ member }: Caller, documentId: string) => maySeeDraft(member, find(documentId).authorId)

  return {
    visibilityFor(row, { caller, filter, projects }) {
      if (!projects.has(row.projectId!) || clock.now() - row.atMs >= visibleMs) return null
      if (filter.documentId !== undefined && row.documentId !== filter.documentId) return null
      // An edit on the disk is attributed to a member who did not request it.
      if (row.actorId === caller.member.id && row.via === 'api' && !filter.ownWrites) return null
      const { docType, path, previousPath } = detailOf(row)
      const isDraft = isDraftPath(path)
      const isOwnDraft = isDraft && isAuthor(caller, row.documentId!)
      if (!hasScope(caller, isOwnDraft ? 'drafts:read' : scopes[docType])) return null
      if (isDraft) return isOwnDraft ? '' : 'restricted'
      return isDraftPath(previousPath) && !isAuthor(caller, row.documentId!) ? 'arrived' : ''
    },
    json(row, variant) {
      const { docType, title, path, previousPath, changed, created, deleted, blockIds } = detailOf(row)
      const actor = members.find(row.actorId!)!
      const location = {
        title,
        path,
        ...(variant !== 'arrived' && { previousPath }),
        url: pageUrl(pagePathForTreePath(path, find(row.documentId!).number)),
      }
      return JSON.stringify({
        type: row.type,
        ts: row.atMs,
        projectId: row.projectId,
        docType,
        docId: row.documentId,
        ...(variant === 'restricted' ? { restricted: true } : location),
        author: actor.name,
        authorId: actor.id,
        authorType: actor.type,
        via: row.via,
        changed,
        created: isNewTo(variant, created),
        deleted,
        blockIds,
      })
    },
  }
}
