import type { Attachment, DocumentRecord } from '../../data/tables/documents.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'

export const attachmentsFolder = (project: Pick<Project, 'folder'>, documentId: string): string =>
  pathInHome(project, `attachments/${documentId}`)

/** A document that was moved to another project on the disk leaves its attachments in the old one. */
export function findAttachmentFile(
  { tree, projects }: { tree: Tree; projects: ProjectStore },
  record: Pick<DocumentRecord, 'id' | 'projectId'>,
  { name }: Attachment,
): string | null {
  const own = projects.find(record.projectId)!
  const others = projects.all().filter(({ id }) => id !== own.id)
  for (const project of [own, ...others]) {
    const path = `${attachmentsFolder(project, record.id)}/${name}`
    if (tree.statAnySize(path).kind === 'file') return path
  }
  return null
}

export function removeAttachmentFiles(
  deps: { tree: Tree; projects: ProjectStore },
  record: DocumentRecord,
): void {
  for (const attachment of record.attachments) {
    const path = findAttachmentFile(deps, record, attachment)
    if (path === null) continue
    deps.tree.remove(path)
    deps.tree.removeEmptyFolder(path.slice(0, path.lastIndexOf('/')))
  }
}
