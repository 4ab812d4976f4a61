import type { MessageRow } from '../../data/tables/messages.ts'
import { authorOf, type Member } from '../access/member.ts'
import type { MessageView } from './types.ts'

export const messageView = (row: MessageRow, author: Member): MessageView => ({
  _id: row.id,
  body: row.body,
  _creationTime: row.sentMs,
  author: authorOf(author),
  ...(row.sentVia !== null && { sentVia: row.sentVia }),
  ...(row.threadId !== null && { threadId: row.threadId }),
  ...(row.replyCount > 0 && { replyCount: row.replyCount }),
  ...(row.editedMs !== null && { editedAt: row.editedMs }),
})
