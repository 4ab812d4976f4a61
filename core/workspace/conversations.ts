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

export async function openConversations(
  deps: Parts,
  content: {
    commentSubjects: { posts: CommentSubject; documents: CommentSubject }
    commentBlocks: CommentBlocks
    rendering: { texts: MessageRenderer }
  },
  refresh: () => void,
  closers: Closers,
) {
  const idempotencyKeys = new IdempotencyKeys(deps)
  const roomStore = new RoomStore(deps)
  const attachments = deps.attachmentStore
  const cleanup = new RoomAttachmentCleanup({ ...deps, attachments })
  closers.add(() => cleanup.stop())
  cleanup.start()
  const messagePreviews = new MessagePreviews({ ...deps, texts: content.rendering.texts })
  closers.add(() => messagePreviews.stop())
  const messageStore = new MessageStore({ ...deps, attachments, messagePreviews })
  const commentStore = new CommentStore(deps)
  const { webhooks, wakes, stop } = await startWebhooks({
    ...deps,
    clock: deps.outgoing,
    messageStore,
    commentStore,
    refresh,
  })
  closers.add(() => stop())
  const deletedRooms = new DeletedRooms({
    ...deps,
    attachments,
    messageRows: deps.messages,
    messages: messageStore,
    clock: deps.outgoing,
  })
  closers.add(() => deletedRooms.stop())
  deletedRooms.start()
  const reading = new ReadPositions({ ...deps, rooms: roomStore })
  const commenting = { ...deps, comments: commentStore, blocks: content.commentBlocks, idempotencyKeys }
  return {
    reading,
    rooms: {
      rooms: new Rooms({ ...deps, rooms: roomStore, reading, transcripts: new Transcripts(deps) }),
      management: new RoomManagement({ ...deps, rooms: roomStore, deletedRooms }),
      places: new SidebarPlaces(deps),
      messages: new Messages({ ...deps, messages: messageStore, idempotencyKeys }),
      history: new RoomHistory(deps),
      pins: new Pins(deps),
      reactions: new Reactions(deps),
      attachments: new RoomAttachments({ ...deps, attachments }),
      typing: deps.typing,
    },
    asks: {
      asks: new Asks({
        ...deps,
        asks: new AskStore(deps),
        idempotencyKeys,
        announcements: new Announcements({ ...deps, messages: messageStore }),
      }),
      pages: new AskPages(deps),
    },
    comments: new Comments({ ...commenting, subject: content.commentSubjects.posts }),
    documentComments: new Comments({ ...commenting, subject: content.commentSubjects.documents }),
    commentStore,
    webhooks,
    wakes,
  }
}
