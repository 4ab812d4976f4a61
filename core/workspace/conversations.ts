import { Announcements } from '../asks/announcements.ts'
import { AskPages } from '../asks/ask-pages.ts'
import { AskStore } from '../asks/ask-store.ts'
import { Asks } from '../asks/asks.ts'
import type { CommentBlocks } from '../comments/comment-blocks.ts'
import { CommentStore } from '../comments/comment-store.ts'
import { type CommentSubject, Comments } from '../comments/comments.ts'
import { IdempotencyKeys } from '../concurrency/idempotency-keys.ts'
import type { MessageRenderer } from '../rendering/message-renderer.ts'
import { RoomAttachmentCleanup } from '../room-attachments/room-attachment-cleanup.ts'
import { RoomAttachments } from '../room-attachments/room-attachments.ts'
import { DeletedRooms } from '../rooms/deleted-rooms.ts'
import { MessagePreviews } from '../rooms/message-previews.ts'
import { MessageStore } from '../rooms/message-store.ts'
import { Messages } from '../rooms/messages.ts'
import { Pins } from '../rooms/pins.ts'
import { Reactions } from '../rooms/reactions.ts'
import { ReadPositions } from '../rooms/read-positions.ts'
import { RoomHistory } from '../rooms/room-history.ts'
import { RoomManagement } from '../rooms/room-management.ts'
import { RoomStore } from '../rooms/room-store.ts'
import { Rooms } from '../rooms/rooms.ts'
import { SidebarPlaces } from '../rooms/sidebar-places.ts'
import { Transcripts } from '../rooms/transcripts.ts'
import { startWebhooks } from '../webhooks/index.ts'
import type { Closers } from './closers.ts'
import type { Parts } from './parts.ts'

interface ConversationContent {
  commentSubjects: { posts: CommentSubject; documents: CommentSubject }
  commentBlocks: CommentBlocks
  rendering: { texts: MessageRenderer }
}

export async function openConversations(
  deps: Parts,
  content: ConversationContent,
  refresh: () => void,
  closers: Closers,
) {
  const idempotencyKeys = new IdempotencyKeys(deps)
  const messageStore = openMessageStore(deps, content.rendering.texts, closers)
  const commentStore = new CommentStore(deps)
  const { webhooks, wakes, stop } = await startWebhooks({
    ...deps,
    clock: deps.outgoing,
    messageStore,
    commentStore,
    refresh,
  })
  closers.add(() => stop())
  return {
    ...openRooms(deps, messageStore, idempotencyKeys, closers),
    asks: asksOf(deps, messageStore, idempotencyKeys),
    comments: commentsOf(deps, content, commentStore, idempotencyKeys),
    commentStore,
    webhooks: { webhooks, wakes },
  }
}

function openMessageStore(deps: Parts, texts: MessageRenderer, closers: Closers): MessageStore {
  const attachments = deps.attachmentStore
  const cleanup = new RoomAttachmentCleanup({ ...deps, attachments })
  closers.add(() => cleanup.stop())
  cleanup.start()
  const messagePreviews = new MessagePreviews({ ...deps, texts })
  closers.add(() => messagePreviews.stop())
  return new MessageStore({ ...deps, attachments, messagePreviews })
}

function openRooms(
  deps: Parts,
  messageStore: MessageStore,
  idempotencyKeys: IdempotencyKeys,
  closers: Closers,
) {
  const roomStore = new RoomStore(deps)
  const attachments = deps.attachmentStore
  const deletedRooms = new DeletedRooms({
    ...deps,
    attachments,
    messageRows: deps.messages,
    messages: messageStore,
    clock: deps.outgoing,
  })
  closers.add(() => deletedRooms.stop())
  deletedRooms.start()
  const readPositions = new ReadPositions({ ...deps, rooms: roomStore })
  return {
    readPositions,
    rooms: {
      rooms: new Rooms({ ...deps, rooms: roomStore, readPositions, transcripts: new Transcripts(deps) }),
      management: new RoomManagement({ ...deps, rooms: roomStore, deletedRooms }),
      places: new SidebarPlaces(deps),
      messages: new Messages({ ...deps, messages: messageStore, idempotencyKeys }),
      history: new RoomHistory(deps),
      pins: new Pins(deps),
      reactions: new Reactions(deps),
      attachments: new RoomAttachments({ ...deps, attachments }),
      typing: deps.typing,
    },
  }
}

function asksOf(deps: Parts, messages: MessageStore, idempotencyKeys: IdempotencyKeys) {
  const announcements = new Announcements({ ...deps, messages })
  return {
    asks: new Asks({ ...deps, asks: new AskStore(deps), idempotencyKeys, announcements }),
    pages: new AskPages(deps),
  }
}

function commentsOf(
  deps: Parts,
  { commentBlocks: blocks, commentSubjects }: ConversationContent,
  comments: CommentStore,
  idempotencyKeys: IdempotencyKeys,
) {
  const shared = { ...deps, comments, blocks, idempotencyKeys }
  return {
    posts: new Comments({ ...shared, subject: commentSubjects.posts }),
    documents: new Comments({ ...shared, subject: commentSubjects.documents }),
  }
}
