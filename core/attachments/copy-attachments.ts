import type { Attachment, DocumentRecord } from '../../data/tables/documents.ts'
import type { Project } from '../access/project.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { placeUnderAvailableName, removeFile, withReceivedFile } from '../files/receive-file.ts'
import { attachmentsFolder, findAttachmentFile } from './attachment-files.ts'

type CopyingDeps = Pick<SharedDeps, 'tree' | 'projects' | 'onProblem'>

/** Copies keep ids and names, so that links remain valid. @throws WorkspaceError `unavailable`; no copy remains */
export async function copyAttachments(
  deps: CopyingDeps,
  from: DocumentRecord,
  to: { project: Project; id: string },
): Promise<Attachment[]> {
  const { tree } = deps
  const folder = attachmentsFolder(to.project, to.id)
  const copied: Attachment[] = []
  try {
    for (const attachment of from.attachments) {
      const path = findAttachmentFile(deps, from, attachment)
      const stat = path === null ? null : tree.statAnySize(path)
      const bytes = path !== null && stat?.kind === 'file' ? tree.stream(path, stat.stamp) : null
      if (bytes === null) continue
      const options = { preferredName: attachment.name, isUnconfirmed: true }
      await withReceivedFile(tree, bytes, (staged) => placeUnderAvailableName(tree, staged, folder, options))
      copied.push(attachment)
    }
    return copied
  } catch (error) {
    await removeCopies(deps, copied, to)
    throw error
  }
}

export function confirmCopies(
  { tree }: CopyingDeps,
  copied: readonly Attachment[],
  to: { project: Project; id: string },
): void {
  for (const { name } of copied) tree.confirm(`${attachmentsFolder(to.project, to.id)}/${name}`)
}

/** Undoes `copyAttachments`; `doctor` finds files that cannot be removed. */
export async function removeCopies(
  { tree, onProblem }: CopyingDeps,
  copied: readonly Attachment[],
  to: { project: Project; id: string },
): Promise<void> {
  for (const { name } of copied) {
    const path = `${attachmentsFolder(to.project, to.id)}/${name}`
    try {
      await removeFile(tree, path)
    } catch (error) {
      onProblem(`The copied attachment ${path} is still on the disk: remove it by hand`, error)
    }
  }
}
