import type { RoomRow } from '../../data/tables/rooms.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/** Archived rooms are read-only. @throws WorkspaceError `conflict`, naming who can open the room again */
export function requireUnarchived(room: Pick<RoomRow, 'id' | 'name' | 'archivedMs'>): void {
  if (room.archivedMs === null) return
  throw new WorkspaceError('conflict', `The room ${room.name} is archived and read-only.`, {
    next: { step: 'reopen the room', roomId: room.id },
  })
}
