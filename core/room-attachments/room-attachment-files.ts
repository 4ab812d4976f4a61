import { posix } from 'node:path'
import type { RoomAttachmentRow } from '../../data/tables/room-attachments.ts'
import { DiskError, type Tree } from '../../data/tree/index.ts'

export const roomFilesRoot = 'rooms'

/** Each attachment has a folder, so that it can keep its name. */
export const roomAttachmentFolder = ({ roomId, id }: Pick<RoomAttachmentRow, 'roomId' | 'id'>): string =>
  `${roomFilesRoot}/${roomId}/${id}`

export const roomAttachmentPath = (row: Pick<RoomAttachmentRow, 'roomId' | 'id' | 'name'>): string =>
  `${roomAttachmentFolder(row)}/${row.name}`

/** Durable. Removes folders that become empty. @throws DiskError */
export async function removeRoomFile(tree: Tree, path: string): Promise<void> {
  tree.remove(path)
  const folder = posix.dirname(path)
  tree.removeEmptyFolder(folder)
  tree.removeEmptyFolder(posix.dirname(folder))
  await tree.flush(path)
  tree.confirm(path)
}

/** For a file that is not recorded; `doctor` finds what cannot be removed. */
export async function removeUnrecorded(tree: Tree, path: string): Promise<void> {
  await removeRoomFile(tree, path).catch((error) => {
    if (!(error instanceof DiskError)) throw error
  })
}
