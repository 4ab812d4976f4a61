import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { FileStamp } from '../../../data/tree/index.ts'
import type { Analysis } from '../../markdown/index.ts'
import type { Project } from '../../projects/types.ts'
import { slugOf } from '../../slug.ts'
import type { Change } from '../change.ts'
import { composeRecord } from '../composing.ts'
import type { Parts } from '../parts.ts'
import { placeOf } from '../places.ts'
import { noBlockIds } from '../results.ts'

/**
 * A file that was found on the disk, as a change for the door; to be called inside a commit.
 * @param at where it lies: its project, and its path within that
 * @param record the document that it is; null: a new one
 * @param found its stat and what its bytes say; `analysis` is null where they are the known ones
 */
export function changeFound(
  parts: Parts,
  at: { project: Project; path: string },
  record: DocumentRecord | null,
  found: { stamp: FileStamp; analysis: Analysis | null; lookedMs: number },
): Change {
  const { clock, contents } = parts
  const { project, path } = at
  const { stamp, analysis, lookedMs } = found
  const before = record && contents.find(record.id, record.revision)
  const digest = analysis?.digest ?? before!.digest
  const actorId = parts.diskMember(stamp.uid)
  const authorId = authorOf(parts, project, path)
  const { kind, column = null } = placeOf(path)!
  const after = composeRecord(parts, {
    before: record,
    digestBefore: before?.digest ?? null,
    project,
    kind,
    column,
    path,
    digest,
    revision: analysis?.revision ?? record!.revision,
    bytes: stamp.size,
    stamp: { ...stamp, lookedMs },
    editorId: actorId,
    atMs: clock.now(),
    ...(authorId ? { authorId } : {}),
  })
  return {
    before: record,
    after,
    content: analysis?.revision === record?.revision ? null : analysis,
    blockIds: analysis?.blockIds ?? noBlockIds,
    actorId,
    via: 'disk',
    atMs: clock.now(),
  }
}

/** What `rm` did. */
export function deletionFound({ clock, diskMember }: Parts, record: DocumentRecord): Change {
  const actorId = diskMember(record.stamp?.uid ?? 0)
  const atMs = clock.now()
  return {
    before: record,
    after: { ...record, deletedMs: atMs, deletedBy: actorId, trashPath: null, stamp: null },
    content: null,
    blockIds: noBlockIds,
    actorId,
    via: 'disk',
    atMs,
  }
}

/** Whose draft lies in this folder of drafts: that of the drafts in it, else of the member whom it is named after. */
function authorOf({ members, catalogue }: Parts, project: Project, path: string): string | null {
  const folder = placeOf(path)?.authorFolder
  if (folder === undefined) return null
  const [neighbour] = catalogue.inFolder(project.id, path.slice(0, path.lastIndexOf('/')))
  if (neighbour) return neighbour.authorId
  const namesake = members.active().find(({ id, name }) => id === folder || slugOf(name) === slugOf(folder))
  return namesake?.id ?? null
}
