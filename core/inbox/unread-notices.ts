import type { AsksTable } from '../../data/tables/asks.ts'
import type { CommentsTable } from '../../data/tables/comments.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { NoticeRow, NoticesTable } from '../../data/tables/notices.ts'
import type { Member } from '../access/member.ts'
import { mayReadProject } from '../access/permissions.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { commentPagePath, pagePath } from '../documents/model/document-paths.ts'
import { excerptOf } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import { asksPagePath, messagePagePath, roomPagePath, roomsPagePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { NoticeKind } from './kinds.ts'

export interface NoticeView {
  /** The id of the card, ask, comment, message or room. */
  id: string
  kind: NoticeKind
  authorId: string
  author: string
  /** The id of the document, project or room. */
  placeId: string
  projectId: string | null
  title: string
  preview: string | null
  at: number
  url: string
}

type Location = Pick<NoticeView, 'placeId' | 'projectId' | 'title' | 'preview'> & { path: string }

interface UnreadNoticesDeps {
  notices: NoticesTable
  asks: AsksTable
  comments: CommentsTable
  messages: MessagesTable
  catalogue: Catalogue
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
  pageUrl: (path: string) => string
}

/** A member's unread notices whose subjects still exist and may be read. Checks no scope. */
export class UnreadNotices {
  constructor(private readonly deps: UnreadNoticesDeps) {}

  /** Newest first. `limit` counts records that are not visible, too. */
  unread(member: Member, limit?: number): { row: NoticeRow; view: NoticeView }[] {
    return this.visible(this.deps.notices.unread(member.id, limit), member)
  }

  find(member: Member, kind: NoticeKind, subjectId: string): NoticeView | null {
    const row = this.deps.notices.findUnread(member.id, kind, subjectId)
    return (row && this.visible([row], member)[0]?.view) ?? null
  }

  visible(rows: readonly NoticeRow[], member: Member): { row: NoticeRow; view: NoticeView }[] {
    return rows.flatMap((row) => {
      const location = this.locate(row, member)
      if (!location) return []
      const { path, ...details } = location
      const { kind, subjectId, authorId, atMs } = row
      const author = this.deps.members.find(authorId)!.name
      const url = this.deps.pageUrl(path)
      return [{ row, view: { id: subjectId, kind, authorId, author, at: atMs, url, ...details } }]
    })
  }

  private locate({ kind, subjectId }: NoticeRow, member: Member): Location | null {
    if (kind === 'card') return this.locateCard(subjectId, member)
    if (kind === 'ask' || kind === 'answer') return this.locateAsk(subjectId, kind, member)
    if (kind === 'removed') return this.locateRoom(subjectId, member)
    return this.locateMessage(subjectId, member) ?? this.locateComment(subjectId, member)
  }

  private locateCard(id: string, member: Member): Location | null {
    const card = this.deps.catalogue.find(id)
    const project = card && this.readableProject(card.projectId, member)
    if (!card || !project || card.kind !== 'card') return null
    return {
      placeId: id,
      projectId: project.id,
      title: card.title,
      preview: null,
      path: pagePath(project, card),
    }
  }

  private locateAsk(id: string, kind: 'ask' | 'answer', member: Member): Location | null {
    const ask = this.deps.asks.find(id)
    const project = ask && this.deps.projects.find(ask.projectId)
    if (!ask || !project) return null
    if (member.id !== ask.createdBy && !this.readableProject(project.id, member)) return null
    const answer = [ask.chosenOption, ask.resolution].filter(Boolean).join(': ')
    return {
      placeId: id,
      projectId: project.id,
      title: this.excerpt(ask.title),
      preview: this.excerpt(kind === 'answer' ? answer : ask.body) || null,
      path: `${asksPagePath(project)}#${id}`,
    }
  }

  /** A removed member knows the room's name, though its page may be closed to them. */
  private locateRoom(id: string, member: Member): Location | null {
    const { memberships } = this.deps
    const room = memberships.find(id)
    if (!room) return null
    const path = memberships.mayRead(room, member) ? roomPagePath(room) : roomsPagePath
    return { placeId: id, projectId: room.projectId, title: room.name, preview: null, path }
  }

  private locateMessage(id: string, member: Member): Location | null {
    const message = this.deps.messages.find(id)
    const room = message && this.deps.memberships.find(message.roomId)
    if (!room || message.deletedMs !== null || !this.deps.memberships.mayRead(room, member)) return null
    return {
      placeId: room.id,
      projectId: room.projectId,
      title: room.name,
      preview: this.excerpt(message.body),
      path: messagePagePath(room, id),
    }
  }

  private locateComment(id: string, member: Member): Location | null {
    const comment = this.deps.comments.find(id)
    const document = comment && this.deps.catalogue.find(comment.postId)
    const project = document && this.readableProject(document.projectId, member)
    if (!comment || comment.deletedMs !== null || !project) return null
    return {
      placeId: document.id,
      projectId: project.id,
      title: document.title,
      preview: this.excerpt(comment.body),
      path: commentPagePath(project, document, id),
    }
  }

  private readableProject(id: string, member: Member) {
    const { projects } = this.deps
    const project = projects.find(id)
    return project && mayReadProject(projects.roleOf(project, member)) ? project : null
  }

  private excerpt(text: string): string {
    return excerptOf(text, this.deps.members.names()).text
  }
}
