import { documentsTable } from '../../data/tables/documents.ts'
import { isTrashedName } from '../documents/model/document-paths.ts'
import type { DoctorContext, Finding } from './types.ts'

export function trashFindings({ database, tree, projects }: DoctorContext): Finding[] {
  const documents = documentsTable(database.connection)
  const findings: Finding[] = []
  for (const { id, folder } of projects.all()) {
    const names = (tree.names(`trash/${folder}`) ?? []).filter(isTrashedName)
    if (names.length === 0) continue
    const knownPaths = new Set(documents.deleted(id).map(({ trashPath }) => trashPath))
    for (const path of names.map((name) => `trash/${folder}/${name}`)) {
      if (knownPaths.has(path)) continue
      findings.push({ path, problem: 'The file belongs to no deleted document.', mend: 'Remove it.' })
    }
  }
  return findings
}
