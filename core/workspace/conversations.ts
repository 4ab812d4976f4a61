import { Announcements } from '../asks/announcements.ts'
import { AskPages } from '../asks/ask-pages.ts'
import { AskStore } from '../asks/ask-store.ts'
import { Asks } from '../asks/asks.ts'
import { CommentStore } from '../comments/comment-store.ts'
import { Comments } from '../comments/comments.ts'
import type { PostLookup } from '../documents/addressing/post-lookup.ts'
import { IdempotencyKeys } from '../idempotency.ts'
import { Messages } from '../rooms/messages.ts'
import { ReadPositions } from '../rooms/read-positions.ts'
import { RoomHistory } from '../rooms/room-history.ts'
import { Rooms } from '../rooms/rooms.ts'
import { startWebhooks } from '../webhooks/index.ts'
import type { Closers } from './closers.ts'
import type { Parts } from './parts.ts'

/** Opens rooms, asks and comments, and begins to call the agents that they concern. */
export async function openConversations(
  deps: Parts,
  postRecords: PostLookup,
  refresh: () => void,
  closers: Closers,
) {
  const speech = { ...deps, idempotencyKeys: new IdempotencyKeys(deps) }
  const reading = new ReadPositions(deps)
  const messages = new Messages(speech)
  const commentStore = new CommentStore(deps)
  const { webhooks, stop } = await startWebhooks({
    ...deps,
    clock: deps.outgoing,
    talk: messages,
    discussion: commentStore,
    refresh,
  })
  closers.add(() => stop())
  return {
    reading,
    rooms: {
      rooms: new Rooms({ ...deps, reading }),
      messages,
      history: new RoomHistory(deps),
      typing: deps.typing,
    },
    asks: {
      asks: new Asks({
        ...speech,
        asks: new AskStore(deps),
        announcements: new Announcements({ ...deps, talk: messages }),
      }),
      pages: new AskPages(speech),
    },
    comments: new Comments({ ...speech, comments: commentStore, posts: postRecords }),
    commentStore,
    webhooks,
  }
}
