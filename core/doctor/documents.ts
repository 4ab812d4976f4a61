import { documentsTable } from '../../data/tables/documents.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { conflictOf, scanFolders } from '../../data/tree/index.ts'
import { skipReasons } from '../documents/disk/skipped-files.ts'
import {
  canContainDocuments,
  isInFilesFolder,
  isTrashedName,
  parseDocumentPath,
  pathInHome,
} from '../documents/model/document-paths.ts'
import { isUntracked, untrackedFolders, untrackedProblem } from '../documents/model/untracked-folders.ts'
import { decompressRevision, revisionOf } from '../revisions/revision.ts'
import { type DoctorContext, type Finding, startServerRemedy } from './types.ts'

export function documentFindings({ database, tree, projects, present }: DoctorContext): {
  findings: Finding[]
  knownPaths: Set<string>
} {
  const revisions = revisionsTable(database.connection)
  const presentIds = new Set(present.map(({ id }) => id))
  const findings: Finding[] = []
  const knownPaths = new Set<string>()
  for (const record of documentsTable(database.connection).live()) {
    const path = pathInHome(projects.find(record.projectId)!, record.path)
    knownPaths.add(path)
    const content = revisions.find(record.id, record.revision)
    if (!content || decompressRevision(content.content, record.revision) === null) {
      const problem = 'The database has lost the bytes of its newest revision.'
      findings.push({ path, problem, mend: 'Restore a backup, or save the file again.' })
    }
    if (!presentIds.has(record.projectId)) continue
    const stat = tree.stat(path)
    if (stat.kind === 'missing')
      findings.push({
        path,
        problem: 'The file is missing.',
        mend: 'Restore the file, or start the server, which records the deletion.',
      })
    else if (stat.kind === 'skipped')
      findings.push({ path, problem: `There is a ${stat.reason} in its place.`, mend: 'Put the file back.' })
    else {
      const file = tree.read(path)
      if (!file || revisionOf(file.bytes) !== record.revision) {
        findings.push({
          path,
          problem: 'The file differs from its newest revision.',
          mend: startServerRemedy,
        })
      }
    }
  }
  return { findings, knownPaths }
}

export async function unknownFileFindings(
  { tree, present }: DoctorContext,
  knownPaths: ReadonlySet<string>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const project of present) {
    const root = `projects/${project.folder}`
    await scanFolders(tree, [root], (folder, entries) => {
      const inner = folder.slice(root.length + 1)
      if (inner !== '' && !canContainDocuments(inner)) return
      for (const { name, stat } of entries) {
        const path = `${folder}/${name}`
        const isDocument =
          parseDocumentPath(path.slice(root.length + 1)) !== null && conflictOf(name) === null
        if (isDocument && stat.kind === 'file' && !knownPaths.has(path)) {
          findings.push({ path, problem: 'The database does not know this file.', mend: startServerRemedy })
        }
        if (isDocument && stat.kind === 'skipped' && stat.reason !== 'folder' && !knownPaths.has(path)) {
          const problem = `It is skipped: ${skipReasons[stat.reason]}.`
          findings.push({ path, problem, mend: 'Replace it with a readable file, or remove it.' })
        }
      }
    })
  }
  return findings
}

export async function untrackedMarkdownFindings({ tree, present }: DoctorContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const project of present) {
    const root = `projects/${project.folder}`
    const found = new Map<string, string[]>()
    const visit = (folder: string, entries: { name: string; stat: { kind: string } }[]) => {
      const inner = folder.slice(root.length + 1)
      const names = entries
        .filter(
          ({ name, stat }) => stat.kind === 'file' && isUntracked(inner === '' ? name : `${inner}/${name}`),
        )
        .map(({ name }) => name)
      if (names.length > 0) found.set(inner, names)
    }
    await scanFolders(tree, [root], visit, { isExcluded: isInFilesFolder })
    for (const untracked of untrackedFolders(found)) {
      const path = untracked.folder === '' ? root : `${root}/${untracked.folder}`
      findings.push({ path, problem: `It ${untrackedProblem(untracked)}.`, mend: untracked.remedy })
    }
  }
  return findings
}

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
