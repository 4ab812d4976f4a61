import { isDeepStrictEqual } from 'node:util'
import type { DocumentMoveRow } from '../../../data/tables/document-moves.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { Change } from '../model/change.ts'
import type { DocumentEvent } from '../model/document-event.ts'
import { docTypes } from '../model/document-kinds.ts'
import { addressLookupKeys, formerPageKey, treePath } from '../model/document-paths.ts'
import { storedDigest } from '../model/stored-digest.ts'

export interface RecordedChange {
  revisionId: number | null
  tick: number
  notified: string[]
}

const formerNameMs = 24 * 60 * 60 * 1000

/** Records every change, within the caller's transaction: rows, links, search, notifications, event. */
export class ChangeRecorder {
  constructor(private readonly deps: DocumentsDeps) {}

  /** Must be called inside a commit. */
  record(change: Change): RecordedChange {
    const { before, after } = change
    const revisionId = this.recordRows(change)
    const [tick] = this.appendEvents([change])
    const isPublication = after.kind === 'post' && before?.kind !== 'post' && after.deletedMs === null
    this.notifyAssignees(change)
    const notified = isPublication ? this.publish(change) : []
    return { revisionId, tick: tick!, notified }
  }

  /** Records no event or publication; `appendEvents` follows. @returns the revision's id; null if bytes stay */
  recordRows(change: Change): number | null {
    const { before, after, content, actorId, via, atMs } = change
    const { documents, documentMoves, revisions, formerNames, formerPages, index } = this.deps
    if (before) documents.replace(before, after)
    else documents.put(after)
    const revisionId =
      content &&
      revisions.add({
        documentId: after.id,
        revision: content.revision,
        atMs,
        authorId: actorId,
        via,
        bytes: content.stored.length,
        content: Buffer.from(content.compressed),
        digest: storedDigest(content.digest),
      })
    if (before && before.path !== after.path && via === 'api') {
      formerNames.trim(atMs)
      for (const key of addressLookupKeys(before)) {
        formerNames.put(before.projectId, key, after.id, atMs + formerNameMs, 'former')
      }
    }
    const requestedKey = before ? undefined : change.requestedKey
    if (requestedKey !== undefined && !addressLookupKeys(after).includes(requestedKey)) {
      formerNames.trim(atMs)
      formerNames.put(after.projectId, requestedKey, after.id, atMs + formerNameMs, 'requested')
    }
    const page = before && formerPageKey(before)
    if (page && !isDeepStrictEqual(page, formerPageKey(after))) formerPages.put(page, after.id)
    index.update(change)
    const move = moveOf(change)
    if (move) documentMoves.add(move)
    if (content) this.moveComments(after.id, new Map(Object.entries(content.rebinding)))
    return revisionId
  }

  appendEvents(changes: Change[]): number[] {
    return this.deps.events.appendAll(changes.map((change) => this.eventOf(change)))
  }

  /** Must be called in its own transaction, before anyone is notified. */
  undo({ before, after, content, atMs }: Change, { revisionId, tick, notified }: RecordedChange): void {
    const { metadata, assignments, documentMoves, documents, events, formerNames } = this.deps
    const { index, publications, revisions } = this.deps
    events.remove(tick)
    index.rollBack(after.id)
    if (notified.length > 0) publications.rollBack(after, atMs)
    if (after.kind === 'card') assignments.rollBack(after, atMs)
    if (revisionId !== null) revisions.remove(revisionId)
    documentMoves.removeAt(after.id, atMs)
    if (content)
      this.moveComments(
        after.id,
        new Map(Object.entries(content.rebinding).map(([from, to]) => [to ?? '', from])),
      )
    if (before) metadata.rollBack(before, after)
    else {
      formerNames.removeAll(after.id)
      documents.erase(after.id)
    }
  }

  /** Comments on an edited block follow it; those on a removed block keep its id. */
  private moveComments(documentId: string, rebinding: ReadonlyMap<string, string | null>): void {
    const { comments } = this.deps
    if (rebinding.size === 0) return
    for (const { id, block } of comments.onBlocks(documentId)) {
      const newBlock = rebinding.get(block)
      if (newBlock) comments.setBlock(id, newBlock)
    }
  }

  private eventOf({ before, after, blockIds, actorId, via }: Change): DocumentEvent {
    const project = this.deps.projects.find(after.projectId)!
    const path = treePath(project, after)
    const previousProject = before && this.deps.projects.find(before.projectId)
    const previousPath = before && previousProject ? treePath(previousProject, before) : path
    const isDeletion = after.deletedMs !== null
    const isCreation = !isDeletion && (before === null || before.deletedMs !== null)
    return {
      type: isDeletion ? 'doc.delete' : 'doc.write',
      projectId: after.projectId,
      documentId: after.id,
      actorId,
      via,
      detail: {
        docType: docTypes[after.kind],
        title: after.title,
        path,
        ...(previousPath === path || isDeletion ? {} : { previousPath }),
        ...(isDeletion ? { deleted: true as const } : { changed: true as const, blockIds }),
        ...(isCreation && { created: true as const }),
      },
    }
  }

  /** A card that appears on the disk notifies nobody: it may be one of thousands of an older folder. */
  private notifyAssignees({ before, after, content, actorId, atMs, via }: Change): void {
    if (after.kind !== 'card' || (before === null && via !== 'api')) return
    const { assignments, contents } = this.deps
    const written = content ?? contents.get(after.id, after.revision)
    assignments.addForCard(before, after, written, { actorId, atMs })
  }

  private publish({ after, content, actorId, atMs }: Change): string[] {
    const { contents, publications } = this.deps
    return publications.notify(after, content ?? contents.get(after.id, after.revision), { actorId, atMs })
  }
}

/** Returns what a change did besides the text. A new title counts as text, although it renames the file. */
function moveOf({ before, after, actorId, via, atMs, content }: Change): DocumentMoveRow | null {
  const kind = before && kindOf({ before, after, content })
  if (!kind) return null
  return {
    documentId: after.id,
    kind,
    actorId,
    via,
    fromPath: before.path,
    toPath: after.path,
    fromProject: before.projectId === after.projectId ? null : before.projectId,
    atMs,
  }
}

function kindOf({
  before,
  after,
  content,
}: Pick<Change, 'after' | 'content'> & { before: NonNullable<Change['before']> }):
  | DocumentMoveRow['kind']
  | null {
  if (after.deletedMs !== null) return before.deletedMs === null ? 'deleted' : null
  if (before.deletedMs !== null) return 'restored'
  if (before.kind === 'draft' && after.kind === 'post') return 'published'
  const isRenamedByTitle = content !== null && folderOf(before.path) === folderOf(after.path)
  const isSame = before.path === after.path && before.projectId === after.projectId
  return isSame || isRenamedByTitle ? null : 'moved'
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
