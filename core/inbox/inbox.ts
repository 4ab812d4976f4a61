import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { InboxTable, UnreadMention } from '../../data/tables/inbox.ts'
import type { Members } from '../members/members.ts'
import type { Presence } from '../members/presence.ts'
import type { Projects } from '../projects/projects.ts'
import { audienceOf } from './audience.ts'

/** Who was mentioned where, and has not read it yet. */
export class Inbox {
  private readonly table: InboxTable
  private readonly parts: { members: Members; projects: Projects; presence: Presence }

  constructor(table: InboxTable, parts: { members: Members; projects: Projects; presence: Presence }) {
    this.table = table
    this.parts = parts
  }

  /**
   * Makes a record for everyone whom a post's mentions reach; to be called inside the commit that publishes it.
   * @param mentioned member ids and reserved broadcast ids
   * @returns the ids of those who were told
   */
  tellOfPost(post: DocumentRecord, mentioned: string[], authorId: string, atMs: number): string[] {
    const project = this.parts.projects.find(post.projectId)!
    return audienceOf(mentioned, project, authorId, this.parts).filter((memberId) =>
      this.table.add(memberId, authorId, post.id, atMs),
    )
  }

  /** Takes back what the write of a post at that time told. */
  retract(post: DocumentRecord, atMs: number): void {
    this.table.retract(post.id, atMs)
  }

  /** A member's unread mentions, newest first. What they point to may have become invisible to them. */
  unread(memberId: string): UnreadMention[] {
    return this.table.unread(memberId)
  }
}
