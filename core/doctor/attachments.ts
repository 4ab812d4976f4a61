import { documentsTable } from '../../data/tables/documents.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { examineAttachments } from '../attachments/examination.ts'
import { homePathOf } from '../documents/model/places.ts'
import type { Examined, Finding } from './types.ts'

/** Files that are attached and gone, and files that are attached to nothing. */
export function differingAttachments(examined: Examined): Finding[] {
  const documents = documentsTable(examined.database.connection)
  const isThere = new Set(examined.present.map(({ id }) => id))
  const live = documents.live().filter(({ projectId }) => isThere.has(projectId))
  // What nobody can bring back has no revisions any more, and no files.
  const revisions = revisionsTable(examined.database.connection)
  const deleted = examined.present
    .flatMap(({ id }) => documents.deleted(id))
    .filter(({ attachments, id }) => attachments.length > 0 && revisions.heads(id).length > 0)
  const records = [...live.filter(({ attachments }) => attachments.length > 0), ...deleted]
  return examineAttachments(examined, records).filter(({ path }) =>
    examined.present.some((project) => path.startsWith(homePathOf(project, ''))),
  )
}
