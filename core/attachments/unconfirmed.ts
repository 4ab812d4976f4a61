import { DiskError } from '../../data/tree/index.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { removeFile } from '../files/receive-file.ts'

/**
 * Removes attachments whose upload was interrupted before they were recorded. Those of a missing project folder
 * wait for a later start.
 */
export async function removeUnconfirmed({ documents, onProblem, tree }: SharedDeps): Promise<void> {
  for (const path of tree.unconfirmed()) {
    const [top, folder, ...below] = path.split('/')
    if (tree.stat(`${top}/${folder}`).kind === 'missing') continue
    const [documentId = '', name] = below.slice(-2)
    const attached = documents.find(documentId)?.attachments ?? []
    try {
      if (!attached.some((attachment) => attachment.name === name)) await removeFile(tree, path)
      else tree.confirm(path)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      onProblem(`An abandoned attachment is still on the disk: ${path}`, error)
    }
  }
}
