import type { NewAskRow } from '../../data/tables/asks.ts'
import type { CommentRow } from '../../data/tables/comments.ts'
import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { MessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { columnOf, treePath } from '../documents/model/document-paths.ts'
import { asksPath } from '../paths.ts'
import type { ThreadView } from './threads.ts'

const service = '1.0'

export interface Org {
  id: string
  name: string
  slug: string
}

interface TextFields {
  body: string
  bodyText: string
  author: Member
  createdMs: number
}

const textView = ({ body, bodyText, author, createdMs }: TextFields) => ({
  body,
  bodyText,
  authorId: author.id,
  authorName: author.name,
  authorType: author.type,
  createdAt: createdMs,
})

export type PayloadContent = { org: Org; atMs: number } & (
  | { room: RoomRow; message: TextFields & Pick<MessageRow, 'id' | 'threadId'>; thread: ThreadView | null }
  | { project: Project; post: TextFields & { id: string; title: string } }
  | {
      project: Project
      post: Pick<DocumentRecord, 'id' | 'kind' | 'title' | 'authorId'>
      comment: TextFields & Pick<CommentRow, 'id' | 'parentId'>
      thread: ThreadView | null
    }
  | { project: Project; card: DocumentRecord; bodyText: string; assigner: Member }
  | { project: Project; ask: NewAskRow; bodyText: string; assigner: Member }
)

/** The beginning of all recipients' bodies, an unclosed object; stored once, since a post may be long. */
export function payloadHead(content: PayloadContent): Buffer {
  const { org, atMs } = content
  const envelope = { service, timestamp: atMs, org: { id: org.id, name: org.name, slug: org.slug } }
  return Buffer.from(JSON.stringify({ ...envelope, ...contentOf(content) }).slice(0, -1))
}

export const payloadTail = (
  { id, event }: Pick<DeliveryRow, 'id' | 'event'>,
  mentions: readonly string[],
): string => `,${JSON.stringify({ id, event, mentions }).slice(1)}`

function contentOf(content: PayloadContent) {
  if ('room' in content) return roomContent(content)
  if ('card' in content) return cardContent(content)
  if ('ask' in content) return askContent(content)
  return 'comment' in content ? commentContent(content) : postContent(content)
}

function roomContent({ room, message, thread }: Extract<PayloadContent, { room: unknown }>) {
  const { id, threadId } = message
  return {
    room: { id: room.id, name: room.name, type: room.type },
    message: { id, ...(threadId !== null && { threadId }), ...textView(message) },
    ...(thread && { thread }),
  }
}

const projectView = ({ id, name, slug }: Project) => ({ id, name, slug })

function postContent({ project, post }: Extract<PayloadContent, { post: TextFields }>) {
  return {
    project: projectView(project),
    post: { id: post.id, title: post.title, ...textView(post) },
  }
}

function subjectOf({
  id,
  kind,
  title,
  authorId,
}: Pick<DocumentRecord, 'id' | 'kind' | 'title' | 'authorId'>) {
  return kind === 'post' ? { post: { id, title, authorId } } : { document: { id, kind, title, authorId } }
}

function commentContent({ project, post, comment, thread }: Extract<PayloadContent, { comment: unknown }>) {
  const { id, parentId } = comment
  return {
    project: projectView(project),
    ...subjectOf(post),
    comment: { id, ...(parentId !== null && { parentId }), ...textView(comment) },
    ...(thread && { thread }),
  }
}

const assignerView = ({ id, name, type }: Member) => ({ id, name, type })

function cardContent({ project, card, bodyText, assigner }: Extract<PayloadContent, { card: unknown }>) {
  const { id, number, title } = card
  return {
    project: projectView(project),
    card: { id, number, title, column: columnOf(card), path: treePath(project, card), bodyText },
    assignedBy: assignerView(assigner),
  }
}

function askContent({ project, ask, bodyText, assigner }: Extract<PayloadContent, { ask: unknown }>) {
  const { id, kind, title, options, state, createdBy, createdMs } = ask
  return {
    project: projectView(project),
    ask: {
      id,
      kind,
      title,
      bodyText,
      options,
      state,
      createdBy,
      createdAt: createdMs,
      path: `${asksPath}/${id}`,
    },
    assignedBy: assignerView(assigner),
  }
}
