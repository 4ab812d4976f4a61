import { type DocumentRecord, documentsTable } from '../../data/tables/documents.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { isIgnoredName, isSafeName, type Tree } from '../../data/tree/index.ts'
import { findAttachmentFile } from '../attachments/attachment-files.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { DoctorContext, Finding } from './types.ts'

/** Files that are attached and gone, and files that are attached to nothing. */
export function attachmentFindings(examined: DoctorContext): Finding[] {
  const documents = documentsTable(examined.database.connection)
  const isThere = new Set(examined.present.map(({ id }) => id))
  const live = documents.live().filter(({ projectId }) => isThere.has(projectId))
  // What nobody can bring back has no revisions any more, and no files.
  const revisions = revisionsTable(examined.database.connection)
  const deleted = examined.present
    .flatMap(({ id }) => documents.deleted(id))
    .filter(({ attachments, id }) => attachments.length > 0 && revisions.heads(id).length > 0)
  const records = [...live.filter(({ attachments }) => attachments.length > 0), ...deleted]
  return compareAttached(examined, records).filter(({ path }) =>
    examined.present.some((project) => path.startsWith(pathInHome(project, ''))),
  )
}

/**
 * Compares what is attached with what lies on the disk, and changes nothing.
 * @param records the documents that have attachments, deleted ones among them
 */
function compareAttached(
  parts: { tree: Tree; projects: ProjectStore },
  records: DocumentRecord[],
): Finding[] {
  const findings: Finding[] = []
  const known = new Set<string>()
  for (const record of records) {
    for (const attachment of record.attachments) {
      const found = findAttachmentFile(parts, record, attachment)
      const project = parts.projects.find(record.projectId)!
      const path = found ?? pathInHome(project, `attachments/${record.id}/${attachment.name}`)
      // Also what lies in its place and is no file: it is told of once.
      known.add(path)
      if (found !== null) continue
      findings.push({
        path,
        problem: 'The attached file is missing.',
        mend: 'Put it back, or delete the attachment.',
      })
    }
  }
  for (const path of attachedFiles(parts)) {
    if (known.has(path)) continue
    findings.push({
      path,
      problem: 'The file is not attached to any document.',
      mend: 'Attach it to its post over HTTP, or remove it.',
    })
  }
  return findings
}

/** What lies in the folders of attachments: one folder a document. */
function* attachedFiles({ tree, projects }: { tree: Tree; projects: ProjectStore }): Generator<string> {
  for (const project of projects.all()) {
    const root = pathInHome(project, 'attachments')
    for (const id of (tree.names(root) ?? []).filter(isSafeName)) {
      for (const name of tree.names(`${root}/${id}`) ?? []) {
        if (!isIgnoredName(name)) yield `${root}/${id}/${name}`
      }
    }
  }
}
