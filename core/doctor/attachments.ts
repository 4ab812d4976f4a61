import { type DocumentRecord, documentsTable } from '../../data/tables/documents.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { isIgnoredName, isSafeName, type Tree } from '../../data/tree/index.ts'
import { findAttachmentFile } from '../attachments/attachment-files.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { DoctorContext, Finding } from './types.ts'

export function attachmentFindings(examined: DoctorContext): Finding[] {
  const documents = documentsTable(examined.database.connection)
  const isThere = new Set(examined.present.map(({ id }) => id))
  const live = documents.live().filter(({ projectId }) => isThere.has(projectId))
  // Purged documents have neither revisions nor files.
  const revisions = revisionsTable(examined.database.connection)
  const deleted = examined.present
    .flatMap(({ id }) => documents.deleted(id))
    .filter(({ attachments, id }) => attachments.length > 0 && revisions.heads(id).length > 0)
  const records = [...live.filter(({ attachments }) => attachments.length > 0), ...deleted]
  return compareAttached(examined, records).filter(({ path }) =>
    examined.present.some((project) => path.startsWith(pathInHome(project, ''))),
  )
}

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
      // Known even if something else has its path, so that it is reported once.
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
