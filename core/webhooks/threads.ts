import type { CommentRow, CommentsTable } from '../../data/tables/comments.ts'
import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import { plainText } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'

interface ThreadDeps {
  comments: CommentsTable
  messages: MessagesTable
  members: MemberStore
}

interface EarlierText {
  id: string
  bodyText: string
  authorId: string
  authorName: string
  authorType: 'human' | 'agent'
  createdAt: number
}

/** Enough of the thread to answer without another request. */
export interface ThreadView {
  id: string
  /** Oldest first. */
  earlier: EarlierText[]
}

const maxEarlier = 10
const maxTextLength = 2000

export function messageThread(
  { id, threadId }: Pick<MessageRow, 'id' | 'threadId'>,
  deps: ThreadDeps,
): ThreadView | null {
  if (threadId === null) return null
  const { place } = deps.messages.find(id)!
  const replies = deps.messages.inThread(threadId, maxEarlier, place)
  const root = replies.length < maxEarlier ? deps.messages.find(threadId) : undefined
  const earlier = [...replies, ...(root && root.deletedMs === null ? [root] : [])]
  return {
    id: threadId,
    earlier: earlier.reverse().map((row) => earlierText({ ...row, createdMs: row.sentMs }, deps)),
  }
}

export function commentThread(
  { id, parentId }: Pick<CommentRow, 'id' | 'parentId'>,
  deps: ThreadDeps,
): ThreadView | null {
  if (parentId === null) return null
  const { place } = deps.comments.find(id)!
  const earlier = deps.comments.inThread(parentId, maxEarlier, place)
  return { id: parentId, earlier: earlier.reverse().map((row) => earlierText(row, deps)) }
}

function earlierText(
  row: Pick<CommentRow, 'id' | 'authorId' | 'body' | 'createdMs'>,
  { members }: ThreadDeps,
): EarlierText {
  const author = members.find(row.authorId)!
  const text = [...plainText(row.body, members.names())]
  return {
    id: row.id,
    bodyText: text.length > maxTextLength ? `${text.slice(0, maxTextLength).join('')}…` : text.join(''),
    authorId: author.id,
    authorName: author.name,
    authorType: author.type,
    createdAt: row.createdMs,
  }
}
