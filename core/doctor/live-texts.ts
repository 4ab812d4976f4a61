import { documentsTable } from '../../data/tables/documents.ts'
import { liveTextsTable } from '../../data/tables/live-texts.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import { storedText } from '../live/stored-text.ts'
import { decompressRevision } from '../revisions/revision.ts'
import type { DoctorContext, Finding } from './types.ts'

/** A server saves a text every 20 seconds, and tries again after 5. */
const maxUnsavedMs = 60_000

/** Words that a running server will save soon are no finding. */
export function liveTextFindings(
  { database, projects }: DoctorContext,
  { isServed, nowMs }: { isServed: boolean; nowMs: number },
): Finding[] {
  const texts = liveTextsTable(database.connection)
  const documents = documentsTable(database.connection)
  return texts.unsaved().flatMap((id) => {
    const row = texts.find(id)
    const record = documents.find(id)
    if (!row || !record || (isServed && nowMs - row.changedMs < maxUnsavedMs)) return []
    const path = pathInHome(projects.find(record.projectId)!, record.path)
    return [{ path, ...unsavedFinding(database.connection, id, record.deletedMs !== null, isServed) }]
  })
}

function unsavedFinding(
  connection: DoctorContext['database']['connection'],
  id: string,
  isDeleted: boolean,
  isServed: boolean,
): Omit<Finding, 'path'> {
  if (!isReadable(connection, id)) {
    return {
      problem: 'Text typed in its editor is not saved and cannot be recovered.',
      mend: 'Restore a backup, or remove its row of live_texts and continue with the file.',
    }
  }
  if (isDeleted) {
    return {
      problem: 'It is deleted, and text typed in its editor is not saved.',
      mend: isServed
        ? 'Restart the server: it saves the text as a draft.'
        : 'Start the server: it saves the text as a draft.',
    }
  }
  return {
    problem: 'Text typed in its editor is not saved in the file.',
    mend: isServed ? 'Open it in the editor, which says why.' : 'Start the server: it saves the text.',
  }
}

function isReadable(connection: DoctorContext['database']['connection'], id: string): boolean {
  const texts = liveTextsTable(connection)
  const row = texts.find(id)!
  const revision = revisionsTable(connection).find(id, row.baseRevision)
  const bytes = revision && decompressRevision(revision.content, row.baseRevision)
  if (!bytes) return false
  try {
    storedText(row, bytes, texts.updates(id))
    return true
  } catch {
    return false
  }
}
