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

interface Said {
  body: string
  bodyText: string
  author: Member
  createdMs: number
}

const saidView = ({ body, bodyText, author, createdMs }: Said) => ({
  body,
  bodyText,
  authorId: author.id,
  authorName: author.name,
  authorType: author.type,
  createdAt: createdMs,
})

export type PayloadContent = { org: Org; atMs: number } & (
  | { room: RoomRow; message: Said & Pick<MessageRow, 'id' | 'threadId'>; thread: ThreadView | null }
  | { project: Project; post: Said & { id: string; title: string } }
  | {
      project: Project
      post: Pick<DocumentRecord, 'id' | 'kind' | 'title' | 'authorId'>
      comment: Said & Pick<CommentRow, 'id' | 'parentId'>
      thread: ThreadView | null
    }
  | { project: Project; card: DocumentRecord; bodyText: string; by: Member }
  | { project: Project; ask: NewAskRow; bodyText: string; by: Member }
)

/** The beginning of all recipients' bodies, an unclosed object; stored once, since a post may be long. */
export function payloadHead(telling: PayloadContent): Buffer {
  const { org, atMs } = telling
  const envelope = { service, timestamp: atMs, org: { id: org.id, name: org.name, slug: org.slug } }
  return Buffer.from(JSON.stringify({ ...envelope, ...contentOf(telling) }).slice(0, -1))
}

export const payloadTail = (
  { id, event }: Pick<DeliveryRow, 'id' | 'event'>,
  mentions: readonly string[],
): string => `,${JSON.stringify({ id, event, mentions }).slice(1)}`

function contentOf(telling: PayloadContent) {
  if ('room' in telling) return roomContent(telling)
  if ('card' in telling) return cardContent(telling)
  if ('ask' in telling) return askContent(telling)
  return 'comment' in telling ? commentContent(telling) : postContent(telling)
}

function roomContent({ room, message, thread }: Extract<PayloadContent, { room: unknown }>) {
  const { id, threadId } = message
  return {
    room: { id: room.id, name: room.name, type: room.type },
    message: { id, ...(threadId !== null && { threadId }), ...saidView(message) },
    ...(thread && { thread }),
  }
}

const projectView = ({ id, name, slug }: Project) => ({ id, name, slug })

function postContent({ project, post }: Extract<PayloadContent, { post: Said }>) {
  return {
    project: projectView(project),
    post: { id: post.id, title: post.title, ...saidView(post) },
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
    comment: { id, ...(parentId !== null && { parentId }), ...saidView(comment) },
    ...(thread && { thread }),
  }
}

const assignerView = ({ id, name, type }: Member) => ({ id, name, type })

function cardContent({ project, card, bodyText, by }: Extract<PayloadContent, { card: unknown }>) {
  const { id, number, title } = card
  return {
    project: projectView(project),
    card: { id, number, title, column: columnOf(card), path: treePath(project, card), bodyText },
    assignedBy: assignerView(by),
  }
}

function askContent({ project, ask, bodyText, by }: Extract<PayloadContent, { ask: unknown }>) {
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
    assignedBy: assignerView(by),
  }
}
