import type { AskRow, NewAskRow } from '../../data/tables/asks.ts'
import type { CommentRow, CommentsTable } from '../../data/tables/comments.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { MessagesTable, NewMessageRow } from '../../data/tables/messages.ts'
import type { NoticesTable } from '../../data/tables/notices.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import { mayReadProject } from '../access/permissions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { NoticeKind, NotificationKind } from './kinds.ts'

/** Called inside the commit of a record of the inbox. */
export type NotificationListener = (memberId: string, kind: NotificationKind, subjectId: string) => void

interface NoticesDeps {
  notices: NoticesTable
  messages: MessagesTable
  comments: CommentsTable
  members: MemberStore
  projects: ProjectStore
  memberships: Memberships
  /** When a notice at a time is mailed (Unix milliseconds), or null; null if mail is not configured. */
  mail: { dueMs(memberId: string, atMs: number, kind: NotificationKind): number | null } | null
  onRecord: NotificationListener
}

interface Occurrence {
  kind: NoticeKind
  subjectId: string
  authorId: string
  atMs: number
}

/** Whose messages of a thread count as one's own, newest first. */
const maxThreadMessages = 200

/**
 * Records what concerns members without mentioning them (`docs/interface.md#inbox`). Of messages in a direct room
 * agents have no record: all of them are unread there. Every method must be called inside the commit of the change.
 */
export class Notices {
  private readonly deps: NoticesDeps

  constructor(deps: NoticesDeps) {
    this.deps = deps
  }

  /**
   * A reply for those in its thread, a message for the others in a direct room.
   * @param mentioned the mentioned members
   * @returns who is notified of a reply
   */
  addForMessage(message: NewMessageRow, room: RoomRow, mentioned: readonly string[]): string[] {
    const { id: subjectId, authorId, sentMs: atMs, threadId } = message
    const repliedTo = threadId === null ? [] : this.membersOfThread(threadId)
    const inDirect = room.type === 'direct' ? this.peopleIn(room) : []
    const isNotified = (memberId: string) => !mentioned.includes(memberId) && this.isNotified(memberId, room)
    for (const memberId of inDirect.filter(isNotified)) {
      this.add(memberId, { kind: 'direct', subjectId, authorId, atMs })
    }
    return [...new Set(repliedTo)]
      .filter((memberId) => !inDirect.includes(memberId) && isNotified(memberId))
      .filter((memberId) => this.add(memberId, { kind: 'reply', subjectId, authorId, atMs }))
  }

  removeForMessage(messageId: string): void {
    this.deps.notices.remove('direct', messageId)
    this.deps.notices.remove('reply', messageId)
  }

  /** For a member whom another removed from a room. */
  addForRemoval(memberId: string, room: RoomRow, { actorId, atMs }: { actorId: string; atMs: number }): void {
    this.add(memberId, { kind: 'removed', subjectId: room.id, authorId: actorId, atMs })
  }

  /** They are in the room again. */
  removeForReturn(memberId: string, room: RoomRow): void {
    this.deps.notices.removeOf(memberId, 'removed', room.id)
  }

  /**
   * A reply for those in its thread, any other comment for the author of the document.
   * @returns who is notified, and of what
   */
  addForComment(
    { id, authorId, parentId, createdMs }: Pick<CommentRow, 'id' | 'authorId' | 'parentId' | 'createdMs'>,
    document: DocumentRecord,
    mentioned: readonly string[],
  ): Map<string, 'reply' | 'comment'> {
    const notified = new Map<string, 'reply' | 'comment'>()
    const repliedTo = parentId === null ? [] : this.deps.comments.threadAuthors(document.id, parentId)
    for (const memberId of new Set([...repliedTo, document.authorId])) {
      if (mentioned.includes(memberId) || !this.mayRead(memberId, document.projectId)) continue
      const kind = repliedTo.includes(memberId) ? 'reply' : 'comment'
      if (this.add(memberId, { kind, subjectId: id, authorId, atMs: createdMs })) notified.set(memberId, kind)
    }
    return notified
  }

  removeForComment(commentId: string): void {
    this.deps.notices.remove('comment', commentId)
    this.deps.notices.remove('reply', commentId)
  }

  /** For assignees whom the card did not have before. @returns who is notified */
  addForCard(before: DocumentRecord | null, after: DocumentRecord, actorId: string, atMs: number): string[] {
    const previous = this.assigneesOf(before)
    const current = this.assigneesOf(after)
    for (const memberId of previous) {
      if (!current.has(memberId)) this.deps.notices.removeOf(memberId, 'card', after.id)
    }
    return [...current]
      .filter((memberId) => !previous.has(memberId) && this.mayRead(memberId, after.projectId))
      .filter((memberId) =>
        this.add(memberId, { kind: 'card', subjectId: after.id, authorId: actorId, atMs }),
      )
  }

  /** Reverts what the write of a card at that time sent. */
  rollBack(documentId: string, atMs: number): void {
    this.deps.notices.retract(documentId, atMs)
  }

  /**
   * For assignees whom the ask did not have before, and with its answer for its creator.
   * @param told members who are notified of it already
   * @returns the assignees who are notified
   */
  addForAsk(
    before: AskRow | null,
    after: NewAskRow,
    actorId: string,
    mentioned: readonly string[],
  ): string[] {
    const { id: subjectId, assignees, createdBy, state, updatedMs: atMs } = after
    const isOpen = state === 'open' || state === 'claimed'
    const previous = before?.assignees ?? []
    for (const memberId of previous) {
      if (!isOpen || !assignees.includes(memberId)) this.deps.notices.removeOf(memberId, 'ask', subjectId)
    }
    if (state === 'resolved' && before?.state !== 'resolved' && !mentioned.includes(createdBy)) {
      this.add(createdBy, { kind: 'answer', subjectId, authorId: actorId, atMs })
    }
    return (isOpen ? assignees : [])
      .filter((memberId) => !previous.includes(memberId) && !mentioned.includes(memberId))
      .filter((memberId) => this.add(memberId, { kind: 'ask', subjectId, authorId: actorId, atMs }))
  }

  /** People are also notified by mail and push, agents by webhook. @returns false if they are not notified at all */
  private add(memberId: string, { kind, subjectId, authorId, atMs }: Occurrence): boolean {
    const { mail, members, notices, onRecord } = this.deps
    const member = members.find(memberId)
    if (memberId === authorId || member?.status !== 'active') return false
    const isPerson = member.type === 'human'
    const mailDueMs = (isPerson && mail?.dueMs(memberId, atMs, kind)) || null
    notices.put({ memberId, authorId, kind, subjectId, atMs, mailDueMs })
    if (isPerson) onRecord(memberId, kind, subjectId)
    return true
  }

  private peopleIn(room: RoomRow): string[] {
    return this.deps.memberships
      .in(room)
      .filter(({ member }) => member.type === 'human')
      .map(({ member }) => member.id)
  }

  private membersOfThread(threadId: string): string[] {
    const { messages } = this.deps
    const root = messages.find(threadId)
    const replies = messages.inThread(threadId, maxThreadMessages)
    return [...(root ? [root.authorId] : []), ...replies.map(({ authorId }) => authorId)]
  }

  /** Muted rooms notify of mentions alone. */
  private isNotified(memberId: string, room: RoomRow): boolean {
    const { members, memberships } = this.deps
    const member = members.find(memberId)
    if (!member || !memberships.mayRead(room, member)) return false
    const involvement = memberships.involvementOf(room, member)
    return involvement !== 'nothing' && involvement !== 'invisible'
  }

  private mayRead(memberId: string, projectId: string): boolean {
    const { members, projects } = this.deps
    const member = members.find(memberId)
    const project = projects.find(projectId)
    return member !== null && project !== null && mayReadProject(projects.roleOf(project, member))
  }

  /** Cards name members by id or by display name. */
  private assigneesOf(card: DocumentRecord | null): Set<string> {
    const named = card?.deletedMs === null ? (card.card?.assignees ?? []) : []
    return new Set(
      named.flatMap((one) =>
        this.deps.members
          .active()
          .filter((member) => isNamed(member, one))
          .map(idOf),
      ),
    )
  }
}

const isNamed = ({ id, name }: Member, text: string): boolean => id === text || name === text
const idOf = ({ id }: Member): string => id
