import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { MemberStore } from '../members/member-store.ts'
import { messagePagePath, roomPagePath } from '../paths.ts'
import { requireMessageIn } from './require-message.ts'
import { roomTranscript, threadTranscript } from './transcript.ts'

interface TranscriptsDeps {
  members: MemberStore
  messages: MessagesTable
  pageUrl: (path: string) => string
}

interface Transcript {
  text: string
  url: string
}

const transcriptLength = 50

export class Transcripts {
  constructor(private readonly deps: TranscriptsDeps) {}

  ofRoom(room: RoomRow): Transcript {
    const { messages, pageUrl } = this.deps
    const messageRows = messages.inRoom(room.id, transcriptLength).toReversed()
    return { text: roomTranscript(room, messageRows, this.people()), url: pageUrl(roomPagePath(room)) }
  }

  /** @param messageId of the first message or of a reply */
  ofThread(room: RoomRow, messageId: string): Transcript {
    return {
      text: threadTranscript(room, this.threadAt(room, messageId), this.people()),
      url: this.deps.pageUrl(messagePagePath(room, messageId)),
    }
  }

  /** The last replies of a thread, or the replies from the requested one on if that is older. */
  private threadAt(room: RoomRow, messageId: string) {
    const { messages } = this.deps
    const requested = requireMessageIn(room, messageId, messages)
    const first = requested.threadId === null ? requested : messages.find(requested.threadId)!
    const last = messages.inThread(first.id, transcriptLength).toReversed()
    const isIncluded =
      requested.threadId === null ||
      requested.deletedMs !== null ||
      last.some(({ id }) => id === requested.id)
    const replies = isIncluded ? last : messages.inThreadFrom(first.id, transcriptLength, requested.place)
    return { id: first.id, first: first.deletedMs === null ? first : null, replies, count: first.replyCount }
  }

  private people() {
    const { members } = this.deps
    return { authorOf: (id: string) => members.find(id)!.name, names: members.names() }
  }
}
