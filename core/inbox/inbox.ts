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
import type { NotificationKind } from './kinds.ts'
import type { NotificationListener } from './notices.ts'
import { roomAudience } from './room-audience.ts'

interface InboxDeps {
  inboxRows: InboxTable
  members: MemberStore
  projects: ProjectStore
  memberships: Memberships
  presence: OnlinePresence
  /** When a mention is mailed (Unix milliseconds), or null; null without mail. */
  mail: { dueMs(memberId: string, atMs: number, kind: NotificationKind): number | null } | null
  onRecord?: NotificationListener
}

type NotifyingMessage = Pick<MessageRow, 'id' | 'authorId'>

/** The methods that write must be called inside the commit of the change. */
export class Inbox {
  constructor(private readonly deps: InboxDeps) {}

  /** Returns the notified members. */
  addForPost(post: DocumentRecord, mentioned: string[], authorId: string, atMs: number): string[] {
    const project = this.deps.projects.find(post.projectId)!
    const notified = projectAudience(mentioned, project, authorId, this.deps).filter((memberId) =>
      this.deps.inboxRows.addOfDocument(memberId, authorId, post.id, atMs, this.mailDueMs(memberId, atMs)),
    )
    return this.emitRecords(notified, post.id)
  }

  /** Returns the notified members. */
  addForComment(
    { id, authorId, createdMs }: Pick<CommentRow, 'id' | 'authorId' | 'createdMs'>,
    post: DocumentRecord,
    mentioned: string[],
  ): string[] {
    const project = this.deps.projects.find(post.projectId)!
    const notified = projectAudience(mentioned, project, authorId, this.deps).filter((memberId) =>
      this.deps.inboxRows.addOfComment(
        memberId,
        authorId,
        id,
        createdMs,
        this.mailDueMs(memberId, createdMs),
      ),
    )
    return this.emitRecords(notified, id)
  }

  /** As `updateForMessage`. */
  updateForComment(
    comment: Pick<CommentRow, 'id' | 'authorId'>,
    post: DocumentRecord,
    { before, after }: { before: readonly string[]; after: readonly string[] },
    atMs: number,
  ): string[] {
    const added = after.filter((id) => !before.includes(id))
    const notified = this.addForComment({ ...comment, createdMs: atMs }, post, added)
    const project = this.deps.projects.find(post.projectId)!
    // `@here` reached the members who were present then.
    const mentioned = after.map((id) => (id === '__here__' && before.includes(id) ? '__channel__' : id))
    const audience = new Set(projectAudience(mentioned, project, comment.authorId, this.deps))
    for (const memberId of this.deps.inboxRows.unreadMembersOfComment(comment.id)) {
      if (!audience.has(memberId)) this.deps.inboxRows.removeUnreadMentionInComment(comment.id, memberId)
    }
    return notified
  }

  removeForComment(commentId: string): void {
    this.deps.inboxRows.removeUnreadOfComment(commentId)
  }

  removeForDocument(post: DocumentRecord, atMs: number): void {
    this.deps.inboxRows.rollBack(post.id, atMs)
  }

  /** Skips members whom the message mentions already. Returns the notified members. */
  addForMessage(
    message: NotifyingMessage,
    room: RoomRow,
    mentioned: readonly string[],
    atMs: number,
  ): string[] {
    const notified = roomAudience(mentioned, room, message.authorId, this.deps).filter((memberId) => {
      const mailDueMs = this.mailDueMs(memberId, atMs)
      return this.deps.inboxRows.addOfMessage(memberId, message.authorId, message.id, atMs, mailDueMs)
    })
    return this.emitRecords(notified, message.id)
  }

  /** Notifies newly mentioned members, and removes unread mentions that the edit removed. */
  updateForMessage(
    message: NotifyingMessage,
    room: RoomRow,
    mentioned: { before: readonly string[]; after: readonly string[] },
    atMs: number,
  ): string[] {
    const { before, after } = mentioned
    const added = after.filter((id) => !before.includes(id))
    const notified = this.addForMessage(message, room, added, atMs)
    if (before.every((id) => after.includes(id))) return notified
    // `@here` reached the members who were present then.
    const stillMentioned = after
      .filter((id) => before.includes(id))
      .map((id) => (id === '__here__' ? '__channel__' : id))
    const audience = new Set(roomAudience([...added, ...stillMentioned], room, message.authorId, this.deps))
    for (const memberId of this.deps.inboxRows.unreadMembersOf(message.id)) {
      if (!audience.has(memberId)) this.deps.inboxRows.removeUnread(message.id, memberId)
    }
    return notified
  }

  removeForMessage(messageId: string): void {
    this.deps.inboxRows.removeAllUnread(messageId)
  }

  /** Newest first, including mentions that may no longer be visible. */
  unread(memberId: string, limit?: number): UnreadMention[] {
    return this.deps.inboxRows.unread(memberId, limit)
  }

  /** Returns how many were unread. */
  markRead(recordIds: readonly number[], atMs: number): number {
    return recordIds.filter((id) => this.deps.inboxRows.markRead(id, atMs)).length
  }

  private emitRecords(memberIds: string[], subjectId: string): string[] {
    for (const memberId of memberIds) this.deps.onRecord?.(memberId, 'mention', subjectId)
    return memberIds
  }

  private mailDueMs(memberId: string, atMs: number): number | null {
    return this.deps.mail?.dueMs(memberId, atMs, 'mention') ?? null
  }
}
