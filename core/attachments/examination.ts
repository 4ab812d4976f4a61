import type { DocumentRecord } from '../../data/tables/documents.ts'
import { isJoinable, isLitter, type Tree } from '../../data/tree/index.ts'
import type { Finding } from '../doctor/types.ts'
import { homePathOf } from '../documents/model/places.ts'
import type { Projects } from '../projects/projects.ts'
import { findAttached } from './attached-files.ts'

/**
 * Compares what is attached with what lies on the disk, and changes nothing.
 * @param records the documents that have attachments, deleted ones among them
 */
export function examineAttachments(
  parts: { tree: Tree; projects: Projects },
  records: DocumentRecord[],
): Finding[] {
  const findings: Finding[] = []
  const known = new Set<string>()
  for (const record of records) {
    for (const attachment of record.attachments) {
      const found = findAttached(parts, record, attachment)
      const project = parts.projects.find(record.projectId)!
      const path = found ?? homePathOf(project, `attachments/${record.id}/${attachment.name}`)
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
      problem: 'The file is attached to nothing.',
      mend: 'Attach it to its post over HTTP, or remove it.',
    })
  }
  return findings
}

/** What lies in the folders of attachments: one folder a document. */
function* attachedFiles({ tree, projects }: { tree: Tree; projects: Projects }): Generator<string> {
  for (const project of projects.all()) {
    const root = homePathOf(project, 'attachments')
    for (const id of (tree.names(root) ?? []).filter(isJoinable)) {
      for (const name of tree.names(`${root}/${id}`) ?? []) {
        if (!isLitter(name)) yield `${root}/${id}/${name}`
      }
    }
  }
}
