import { roomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import { isIgnoredName, isSafeName, type Tree } from '../../data/tree/index.ts'
import { roomAttachmentPath, roomFilesRoot } from '../room-attachments/room-attachment-files.ts'
import type { DoctorContext, Finding } from './types.ts'

export function roomAttachmentFindings({ database, tree }: DoctorContext): Finding[] {
  const rows = roomAttachmentsTable(database.connection).all()
  const missing = rows
    .filter((row) => row.deletedMs === null && tree.statAnySize(roomAttachmentPath(row)).kind !== 'file')
    .map((row) => ({
      path: roomAttachmentPath(row),
      problem: 'The file of an attachment of a room is missing.',
      mend: 'Put it back, or delete the attachment.',
    }))
  const knownPaths = new Set(rows.map(roomAttachmentPath))
  const unknown = [...roomFiles(tree)]
    .filter((path) => !knownPaths.has(path))
    .map((path) => ({
      path,
      problem: 'The file is not attached to any room.',
      mend: 'Upload it to its room over HTTP, or remove it.',
    }))
  return [...missing, ...unknown]
}

function* roomFiles(tree: Tree): Generator<string> {
  for (const roomId of namesIn(tree, roomFilesRoot)) {
    for (const id of namesIn(tree, `${roomFilesRoot}/${roomId}`)) {
      const folder = `${roomFilesRoot}/${roomId}/${id}`
      for (const name of namesIn(tree, folder)) yield `${folder}/${name}`
    }
  }
}

const namesIn = (tree: Tree, folder: string): string[] =>
  (tree.names(folder) ?? []).filter((name) => isSafeName(name) && !isIgnoredName(name))
