import type { Database } from '../../data/database.ts'
import type { NoticesTable } from '../../data/tables/notices.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import type { Clock } from '../time/clock.ts'
import type { NoticeKind, NotificationKind } from './kinds.ts'
import type { UnreadMentions } from './unread-mentions.ts'
import type { UnreadNotices } from './unread-notices.ts'

export interface InboxRecord {
  id: string
  kind: NotificationKind
  authorId: string
  author: string
  placeId: string
  title: string
  preview: string | null
  at: number
  url: string
}

interface InboxRecordsDeps {
  clock: Clock
  database: Database
  notices: NoticesTable
  unreadMentions: UnreadMentions
  unreadNotices: UnreadNotices
}

/** How long read notices are kept. */
const retentionMs = 30 * 24 * 60 * 60 * 1000

/** Mentions and notices of a caller. Every call throws WorkspaceError `forbidden` without the scope. */
export class InboxRecords {
  constructor(private readonly deps: InboxRecordsDeps) {}

  unread(caller: Caller, limit: number): InboxRecord[] {
    requireScope(caller, 'mentions:read')
    const { unreadMentions, unreadNotices } = this.deps
    const mentions = unreadMentions
      .newest(caller, limit)
      .map(({ id, authorId, author, placeId, title, preview, at, url }) => {
        return { id, kind: 'mention' as const, authorId, author, placeId, title, preview, at, url }
      })
    const notices = unreadNotices.unread(caller.member, 4 * limit).map(({ view }) => {
      const { projectId, ...record } = view
      return record
    })
    return [...mentions, ...notices].sort((one, other) => other.at - one.at).slice(0, limit)
  }

  /** @param limit the most that are counted */
  countUnread(caller: Caller, kinds: readonly NoticeKind[], limit: number): number {
    requireScope(caller, 'mentions:read')
    const notices = this.deps.unreadNotices.unread(caller.member, 4 * limit)
    return Math.min(limit, notices.filter(({ view }) => kinds.includes(view.kind)).length)
  }

  inPlaces(caller: Caller, placeIds: readonly string[]): string[] {
    requireScope(caller, 'mentions:read')
    const { unreadMentions, unreadNotices } = this.deps
    const notices = unreadNotices.unread(caller.member).map(({ view }) => view)
    return [...unreadMentions.unread(caller), ...notices]
      .filter((record) => placeIds.includes(record.placeId))
      .map(({ id }) => id)
  }

  /** Without ids, marks everything visible. Ignores unknown ids. Returns how many were unread. */
  async markRead(caller: Caller, ids?: readonly string[]): Promise<number> {
    const { clock, database, notices, unreadMentions, unreadNotices } = this.deps
    const mentions = await unreadMentions.markRead(caller, ids)
    const selected = ids && new Set(ids)
    const read = await commitOrUnavailable(database, () => {
      notices.trim(clock.retentionCutoff(retentionMs))
      return unreadNotices
        .unread(caller.member)
        .filter(({ view }) => selected?.has(view.id) ?? true)
        .filter(({ row }) => notices.markRead(row.id, clock.now())).length
    })
    return mentions + read
  }
}
