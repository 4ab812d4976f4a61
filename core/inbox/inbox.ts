import type { CommentRow } from '../../data/tables/comments.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { InboxTable, UnreadMention } from '../../data/tables/inbox.ts'
import type { MessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { projectAudience } from './audience.ts'
import { roomAudience } from './room-audience.ts'

interface InboxDeps {
  inboxRows: InboxTable
  members: MemberStore
  projects: ProjectStore
  memberships: Memberships
  presence: OnlinePresence
  /** When what a member is told of at that time is to be mailed to them (Unix milliseconds); null: no mail is sent. */
  mail: { dueMs(memberId: string, atMs: number): number | null } | null
}

type Told = Pick<MessageRow, 'id' | 'authorId'>

/** Who was mentioned where, and has not read it yet. */
export class Inbox {
  private readonly deps: InboxDeps

  constructor(deps: InboxDeps) {
    this.deps = deps
  }

  /**
   * Makes a record for everyone whom a post's mentions reach; to be called inside the commit that publishes it.
   * @param mentioned member ids and reserved broadcast ids
   * @returns the ids of those who were told
   */
  addForPost(post: DocumentRecord, mentioned: string[], authorId: string, atMs: number): string[] {
    const project = this.deps.projects.find(post.projectId)!
    return projectAudience(mentioned, project, authorId, this.deps).filter((memberId) =>
      this.deps.inboxRows.addOfDocument(memberId, authorId, post.id, atMs, this.mailDueMs(memberId, atMs)),
    )
  }

  /**
   * Makes a record for everyone whom a comment's mentions reach, as those of its post would; to be called inside the
   * commit that writes it.
   * @param mentioned member ids and reserved broadcast ids
   * @returns the ids of those who were told
   */
  addForComment(
    { id, authorId, createdMs }: Pick<CommentRow, 'id' | 'authorId' | 'createdMs'>,
    post: DocumentRecord,
    mentioned: string[],
  ): string[] {
    const project = this.deps.projects.find(post.projectId)!
    return projectAudience(mentioned, project, authorId, this.deps).filter((memberId) =>
      this.deps.inboxRows.addOfComment(
        memberId,
        authorId,
        id,
        createdMs,
        this.mailDueMs(memberId, createdMs),
      ),
    )
  }

  /** Takes a deleted comment out of all inboxes; to be called inside the commit that deletes it. */
  removeForComment(commentId: string): void {
    this.deps.inboxRows.removeUnreadOfComment(commentId)
  }

  /** Takes back what the write of a post at that time told. */
  removeForDocument(post: DocumentRecord, atMs: number): void {
    this.deps.inboxRows.retract(post.id, atMs)
  }

  /**
   * Makes a record for everyone whom a message's mentions reach and who has none yet; to be called inside a commit.
   * @param mentioned member ids and reserved broadcast ids
   * @returns the ids of those who were told
   */
  addForMessage(message: Told, room: RoomRow, mentioned: readonly string[], atMs: number): string[] {
    return roomAudience(mentioned, room, message.authorId, this.deps).filter((memberId) => {
      const mailDueMs = this.mailDueMs(memberId, atMs)
      return this.deps.inboxRows.addOfMessage(memberId, message.authorId, message.id, atMs, mailDueMs)
    })
  }

  /**
   * Follows the mentions of a message whose text was changed; to be called inside the commit that changes it. Whom only
   * the new text reaches is told; who has not read what does not reach them any more will not find it.
   * @returns the ids of those who were told
   */
  updateForMessage(
    message: Told,
    room: RoomRow,
    mentioned: { before: readonly string[]; after: readonly string[] },
    atMs: number,
  ): string[] {
    const { before, after } = mentioned
    const added = after.filter((id) => !before.includes(id))
    const told = this.addForMessage(message, room, added, atMs)
    if (before.every((id) => after.includes(id))) return told
    // Whoever was here when the message called those who are here was called, wherever they are now.
    const kept = after
      .filter((id) => before.includes(id))
      .map((id) => (id === '__here__' ? '__channel__' : id))
    const reached = new Set(roomAudience([...added, ...kept], room, message.authorId, this.deps))
    for (const memberId of this.deps.inboxRows.unreadMembersOf(message.id)) {
      if (!reached.has(memberId)) this.deps.inboxRows.removeUnread(message.id, memberId)
    }
    return told
  }

  /** Takes a deleted message out of all inboxes; to be called inside the commit that deletes it. */
  removeForMessage(messageId: string): void {
    this.deps.inboxRows.removeAllUnread(messageId)
  }

  /**
   * A member's unread mentions, newest first. What they point to may have become invisible to them.
   * @param limit the newest of them alone; left out: all
   */
  unread(memberId: string, limit?: number): UnreadMention[] {
    return this.deps.inboxRows.unread(memberId, limit)
  }

  /** Marks records as read; to be called inside a commit. @returns how many were unread until then */
  markRead(recordIds: readonly number[], atMs: number): number {
    return recordIds.filter((id) => this.deps.inboxRows.markRead(id, atMs)).length
  }

  private mailDueMs(memberId: string, atMs: number): number | null {
    return this.deps.mail?.dueMs(memberId, atMs) ?? null
  }
}
