import type { RoomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import { DiskError } from '../../data/tree/index.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { removeFile } from '../files/receive-file.ts'
import { removeRoomFile, roomFilesRoot } from '../room-attachments/room-attachment-files.ts'

type UnconfirmedDeps = Pick<SharedDeps, 'documents' | 'onProblem' | 'tree'> & {
  roomAttachments: Pick<RoomAttachmentsTable, 'find'>
}

/** Removes files of interrupted uploads; those of a missing project folder wait for a later start. */
export async function removeUnconfirmed(deps: UnconfirmedDeps): Promise<void> {
  const { onProblem, tree } = deps
  for (const path of tree.unconfirmed()) {
    try {
      if (path.startsWith(`${roomFilesRoot}/`)) await confirmOrRemoveRoomFile(deps, path)
      else await confirmOrRemoveDocumentFile(deps, path)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      onProblem(`An abandoned attachment is still on the disk: ${path}`, error)
    }
  }
}

async function confirmOrRemoveDocumentFile(
  { documents, tree }: UnconfirmedDeps,
  path: string,
): Promise<void> {
  const [top, folder, ...rest] = path.split('/')
  if (tree.stat(`${top}/${folder}`).kind === 'missing') return
  const [documentId = '', name] = rest.slice(-2)
  const attached = documents.find(documentId)?.attachments ?? []
  if (!attached.some((attachment) => attachment.name === name)) await removeFile(tree, path)
  else tree.confirm(path)
}

async function confirmOrRemoveRoomFile(
  { roomAttachments, tree }: UnconfirmedDeps,
  path: string,
): Promise<void> {
  const [, , id = ''] = path.split('/')
  if (roomAttachments.find(id)) tree.confirm(path)
  else await removeRoomFile(tree, path)
}
