import type { DocumentMoveRow } from '../../../data/tables/document-moves.ts'
import type { Change } from '../model/change.ts'

/** Returns what a change did besides the text. A new title counts as text, although it renames the file. */
export function moveOf({ before, after, actorId, via, atMs, content }: Change): DocumentMoveRow | null {
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
