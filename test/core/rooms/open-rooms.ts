import type { Test } from 'tap'
import type { Caller, Member, MemberType } from '../../../core/access/member.ts'
import { IdempotencyKeys } from '../../../core/concurrency/idempotency-keys.ts'
import { Events } from '../../../core/events/events.ts'
import { newIdFactory, systemRandom } from '../../../core/ids.ts'
import { Inbox } from '../../../core/inbox/inbox.ts'
import { Notices } from '../../../core/inbox/notices.ts'
import { OnlinePresence } from '../../../core/members/online-presence.ts'
import { MessageStore } from '../../../core/rooms/message-store.ts'
import { Messages } from '../../../core/rooms/messages.ts'
import { ReadPositions } from '../../../core/rooms/read-positions.ts'
import { RoomManagement } from '../../../core/rooms/room-management.ts'
import { RoomStore } from '../../../core/rooms/room-store.ts'
import { Rooms } from '../../../core/rooms/rooms.ts'
import { Transcripts } from '../../../core/rooms/transcripts.ts'
import type { NewRoom } from '../../../core/rooms/types.ts'
import { TypingSignals } from '../../../core/rooms/typing.ts'
import { openDeliveryEnqueuer } from '../../../core/webhooks/index.ts'
import { answeredRequestsTable } from '../../../data/tables/answered-requests.ts'
import { commentsTable } from '../../../data/tables/comments.ts'
import { eventLog } from '../../../data/tables/event-log.ts'
import { eventsTable } from '../../../data/tables/events.ts'
import { inboxTable } from '../../../data/tables/inbox.ts'
import { messagesTable } from '../../../data/tables/messages.ts'
import { noticesTable } from '../../../data/tables/notices.ts'
import { pinnedMessagesTable } from '../../../data/tables/pinned-messages.ts'
import { reactionsTable } from '../../../data/tables/reactions.ts'
import { searchTable } from '../../../data/tables/search.ts'
import { freshDirectories, type OpenedDirectories } from '../open-directories.ts'

export interface OpenedRooms extends OpenedDirectories {
  presence: OnlinePresence
  typing: TypingSignals
  inbox: Inbox
  rooms: OpenedDirectories['rooms']
  service: Rooms
  management: RoomManagement
  messages: Messages
  /** Adds a member, who joins these projects; their key has every scope. */
  join(name: string, type: MemberType, ...projects: string[]): Promise<Caller>
  /** The first owner, Ada; her key has every scope. */
  ada: Caller
  /** Creates a room by Ada, with these others in it. @returns its id */
  makeRoom(request?: Partial<NewRoom>, ...others: Caller[]): Promise<string>
  /** The names of the members with an unread mention in a message, sorted. */
  notified(messageId: string): string[]
}

const callerOf = (member: Member): Caller => ({
  member,
  keyId: `key of ${member.id}`,
  scopes: new Set(['*']),
})

/** Opens rooms and messages on a fresh database, without documents or a disk, until the test ends. */
export async function freshRooms(t: Test): Promise<OpenedRooms> {
  const directories = await freshDirectories(t)
  const { clock, database, members, memberships, owner, projects } = directories
  const db = database.connection
  const newId = newIdFactory(clock, systemRandom)
  const presence = new OnlinePresence(clock)
  const typing = new TypingSignals({ clock, memberships })
  const records = inboxTable(db)
  const inbox = new Inbox({ ...directories, inboxRows: records, presence, mail: null })
  const messagesRows = messagesTable(db)
  const pinnedMessages = pinnedMessagesTable(db)
  const reactions = reactionsTable(db)
  const parts = {
    ...directories,
    newId,
    messages: messagesRows,
    pinnedMessages,
    reactions,
    presence,
    typing,
    inbox,
  }
  const notices = noticesTable(db)
  const noticeStore = new Notices({
    ...parts,
    notices,
    comments: commentsTable(db),
    mail: null,
    onRecord: () => {},
  })
  const roomStore = new RoomStore(parts)
  const readPositions = new ReadPositions({ ...parts, rooms: roomStore, inboxRows: records, notices })
  const transcripts = new Transcripts({ ...parts, pageUrl: (path) => `http://localhost${path}` })
  const service = new Rooms({ ...parts, noticeStore, rooms: roomStore, readPositions, transcripts })
  const deletedRooms = { start() {} }
  const loggedEvents = eventsTable(db)
  loggedEvents.begin('epoch')
  const events = new Events({ loggedEvents, log: eventLog(db), clock })
  const management = new RoomManagement({ ...parts, events, noticeStore, rooms: roomStore, deletedRooms })
  const messageStore = new MessageStore({
    ...parts,
    noticeStore,
    attachments: { followLinks: () => {}, removeOfMessage: () => {} },
    messagePreviews: { enqueue: () => {} },
    ...openDeliveryEnqueuer({
      ...parts,
      comments: commentsTable(db),
      org: { id: 'wsp_test', name: 'Testers', slug: 'testers' },
    }),
    search: searchTable(db),
    events,
  })
  const messages = new Messages({
    ...parts,
    messages: messageStore,
    idempotencyKeys: new IdempotencyKeys({ answeredRequests: answeredRequestsTable(db), clock }),
  })
  const ada = callerOf(owner)
  return {
    ...directories,
    presence,
    typing,
    inbox,
    service,
    management,
    messages,
    ada,
    async join(name, type, ...slugs) {
      const { member } = await members.add({ name, type })
      for (const slug of slugs) await projects.join(projects.find(slug)!, member, 'member')
      return callerOf(member)
    },
    async makeRoom(request = {}, ...others) {
      const { room } = await service.create(ada, { name: 'Room', type: 'open', ...request })
      const { _id } = room
      for (const { member } of others) await service.invite(ada, _id, member.id)
      return _id
    },
    notified: (messageId) =>
      records
        .unreadMembersOf(messageId)
        .map((id) => members.find(id)!.name)
        .sort(),
  }
}

/** The text of a message that mentions somebody. */
export const mention = ({ member }: Caller): string => `@[${member.name}](${member.id})`
