import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/** Also finds a deleted message. @throws WorkspaceError `not_found` */
export function requireMessageIn(room: RoomRow, messageId: string, messages: MessagesTable): MessageRow {
  const message = messages.find(messageId)
  if (message?.roomId === room.id) return message
  throw new WorkspaceError('not_found', `There is no message ${messageId} in this room.`)
}
