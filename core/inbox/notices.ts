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

/** Called inside the commit of the record. */
export type NotificationListener = (memberId: string, kind: NotificationKind, subjectId: string) => void

interface NoticesDeps {
  notices: NoticesTable
  messages: MessagesTable
  comments: CommentsTable
  members: MemberStore
  projects: ProjectStore
  memberships: Memberships
  /** When a notice is mailed (Unix milliseconds), or null; null without mail. */
  mail: { dueMs(memberId: string, atMs: number, kind: NotificationKind): number | null } | null
  onRecord: NotificationListener
}

interface Occurrence {
  kind: NoticeKind
  subjectId: string
  authorId: string
  atMs: number
}

/** How many of a thread's newest messages decide who is notified of a reply. */
const maxThreadMessages = 200

/** Every method must be called inside the commit of the change. Agents get no notices of direct messages. */
export class Notices {
  constructor(private readonly deps: NoticesDeps) {}

  /** Returns the members who are notified of a reply. */
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

  addForRemoval(memberId: string, room: RoomRow, { actorId, atMs }: { actorId: string; atMs: number }): void {
    this.add(memberId, { kind: 'removed', subjectId: room.id, authorId: actorId, atMs })
  }

  removeForReturn(memberId: string, room: RoomRow): void {
    this.deps.notices.removeOf(memberId, 'removed', room.id)
  }

  /** A reply notifies those in its thread, any other comment the document's author. */
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

  /** Notifies new assignees, and returns them. */
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

  /** Undoes the notices of one write of a card. */
  rollBack(documentId: string, atMs: number): void {
    this.deps.notices.rollBack(documentId, atMs)
  }

  /** Notifies new assignees, and the creator once it is answered. Returns the notified assignees. */
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

  /** Notifies people by mail and push as well, agents by webhook. */
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
