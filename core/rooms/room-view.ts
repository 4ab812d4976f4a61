import type { RoomRow } from '../../data/tables/rooms.ts'
import type { RoomView } from './types.ts'

export const roomView = (room: RoomRow, joined: boolean): RoomView => ({
  _id: room.id,
  name: room.name,
  type: room.type,
  description: room.description,
  projectId: room.projectId,
  joined,
  ...(room.archivedMs !== null && { archivedAt: room.archivedMs }),
})
