import type { Database } from '../../data/database.ts'
import type { UnreadMention } from '../../data/tables/inbox.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Caller, Member } from '../access/member.ts'
import { mayReadProject, requireScope } from '../access/permissions.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import type { RevisionContent, RevisionContents } from '../documents/catalogue/revision-contents.ts'
import { commentPagePath, pagePath, treePath } from '../documents/model/document-paths.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { excerptOf } from '../markdown/canonical-mentions.ts'
import { displayedText } from '../markdown/index.ts'
import type { MemberStore } from '../members/member-store.ts'
import { commentsPath, messagePagePath, threadPath, transcriptPath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import { broadcastIds } from './audience.ts'
import type { Inbox } from './inbox.ts'
import type { MentionDetails } from './mentions-page.ts'

export interface UnreadMentionView extends MentionDetails {
  authorId: string
  url: string
}

const maxExcerptedBytes = 4 * 1024 * 1024

export interface UnreadMentionsDeps {
  clock: Clock
  database: Database
  inbox: Inbox
  catalogue: Catalogue
  contents: Pick<RevisionContents, 'get'>
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
  pageUrl: (path: string) => string
}

export class UnreadMentions {
  constructor(private readonly deps: UnreadMentionsDeps) {}

  unread(caller: Caller): UnreadMentionView[] {
    return this.visibleTo(caller.member).map(({ row }) => row)
  }

  /** Searches only a few times as many as `limit`, so that hidden mentions cost little. */
  newest({ member }: Caller, limit: number): UnreadMentionView[] {
    const records = this.deps.inbox.unread(member.id, 4 * limit)
    return this.visible(records, member).slice(0, limit)
  }

  /** Searches only a few times as many as `maxCount`. */
  count({ member }: Caller, maxCount: number): number {
    const locationOf = this.locationsFor(member)
    let count = 0
    for (const record of this.deps.inbox.unread(member.id, 4 * maxCount)) {
      if (locationOf(record) !== null) count += 1
      if (count === maxCount) break
    }
    return count
  }

  visible(records: readonly UnreadMention[], member: Member): UnreadMentionView[] {
    return this.visibleTo(member, records).map(({ row }) => row)
  }

  /** Adds excerpts to the first posts, up to 4 MB together. */
  withExcerpts(mentions: readonly UnreadMentionView[], member: Member): UnreadMentionView[] {
    const { catalogue, contents, members } = this.deps
    const names = members.names()
    let remainingBytes = maxExcerptedBytes
    return mentions.map((mention) => {
      const post = mention.subjectKind === 'post' ? catalogue.find(mention.placeId) : null
      if (post) remainingBytes -= post.bytes
      if (!post || remainingBytes < 0) return mention
      const content = contents.get(post.id, post.revision)
      return { ...mention, preview: postExcerpt(content, member.id, { title: post.title, names }) }
    })
  }

  /** Without ids, marks all that are visible. Ignores unknown ids. Returns how many were unread. */
  async markRead(caller: Caller, ids?: readonly string[]): Promise<number> {
    requireScope(caller, 'mentions:read')
    const { clock, database, inbox } = this.deps
    const selected = ids && new Set(ids)
    return commitOrUnavailable(database, () => {
      const visible = this.visibleTo(caller.member).filter(({ row }) => selected?.has(row.id) ?? true)
      return inbox.markRead(
        visible.map(({ record }) => record.id),
        clock.now(),
      )
    })
  }

  /** The single place that decides whether an unread mention counts. */
  private visibleTo(
    member: Member,
    records: readonly UnreadMention[] = this.deps.inbox.unread(member.id),
  ): { record: UnreadMention; row: UnreadMentionView }[] {
    const { members } = this.deps
    const locationOf = this.locationsFor(member)
    return records.flatMap((record) => {
      const location = locationOf(record)
      if (!location) return []
      const { authorId, atMs, body, commentId, documentId, messageId, threadId } = record
      const id = (messageId ?? commentId ?? documentId)!
      const subjectKind = messageId !== null ? 'message' : commentId !== null ? 'comment' : 'post'
      const author = members.find(authorId)!.name
      const { text: preview, isWhole } =
        body === null ? { text: null, isWhole: false } : excerptOf(body, members.names())
      return [
        {
          record,
          row: { id, author, authorId, subjectKind, at: atMs, threadId, preview, isWhole, ...location },
        },
      ]
    })
  }

  /** The result is null if the member may not read the mention. Checks each room once. */
  private locationsFor(member: Member): (mention: UnreadMention) => MentionLocation | null {
    const rooms = new Map<string, RoomRow | null>()
    return ({ commentId, documentId, messageId, postId, roomId, threadId }) => {
      if (roomId === null) return this.postLocation((postId ?? documentId)!, commentId, member)
      if (!rooms.has(roomId)) rooms.set(roomId, this.readableRoom(roomId, member))
      const room = rooms.get(roomId)!
      return room && this.roomLocation(room, messageId!, threadId)
    }
  }

  private postLocation(id: string, commentId: string | null, member: Member): MentionLocation | null {
    const { catalogue, pageUrl, projects } = this.deps
    const post = catalogue.find(id)
    const project = post && projects.find(post.projectId)
    if (!post || !project || post.kind === 'draft' || (commentId === null && post.kind !== 'post'))
      return null
    if (!mayReadProject(projects.roleOf(project, member))) return null
    const path = treePath(project, post)
    const page = commentId === null ? pagePath(project, post) : commentPagePath(project, post, commentId)
    const readPath = commentId === null ? path : commentsPath(id, post.kind)
    const { kind, title } = post
    const isOther = kind === 'card' || kind === 'document'
    const url = pageUrl(page)
    return { placeId: id, title, path, readPath, url, ...(isOther && { commentedKind: kind }) }
  }

  /** Deleted messages have no unread mentions, so only the room is checked. */
  private readableRoom(id: string, member: Member): RoomRow | null {
    const { memberships } = this.deps
    const room = memberships.find(id)
    return room && memberships.mayRead(room, member) ? room : null
  }

  private roomLocation(room: RoomRow, messageId: string, threadId: string | null): MentionLocation {
    const url = this.deps.pageUrl(messagePagePath(room, messageId))
    const readPath = threadPath(room, messageId)
    const path = threadId === null ? transcriptPath(room) : readPath
    return { placeId: room.id, title: room.name, path, readPath, url }
  }
}

type MentionLocation = Pick<
  UnreadMentionView,
  'placeId' | 'title' | 'path' | 'readPath' | 'commentedKind' | 'url'
>

const contextBefore = 120
const contextAfter = 160

/** Longer text is not searched. */
const maxSearchedBytes = 4 * (contextBefore + contextAfter)

const blankLine = /\r?\n[ \t]*\r?\n/g

/** The text around a mention by name, or else a broadcast. Null if no mention is left. */
function postExcerpt(
  { stored, digest }: RevisionContent,
  memberId: string,
  { title, names }: { title: string; names: Record<string, string> },
): string | null {
  const { body, mentions } = displayedText({ stored, digest, title, names })
  const isBroadcast = (id: string) => broadcastIds.some((broadcast) => broadcast === id)
  const mention = mentions.find(({ id }) => id === memberId) ?? mentions.find(({ id }) => isBroadcast(id))
  if (!mention) return null
  const { start } = mention
  const before = body.toString('utf8', Math.max(0, start - maxSearchedBytes), start).replace(/^\uFFFD+/, '')
  const after = body.toString('utf8', start, start + maxSearchedBytes).replace(/\uFFFD+$/, '')
  const paragraphStart = [...before.matchAll(blankLine)].at(-1)
  const inParagraph = paragraphStart ? before.slice(paragraphStart.index + paragraphStart[0].length) : before
  const paragraphEnd = after.search(blankLine)
  const paragraphRest = paragraphEnd === -1 ? after : after.slice(0, paragraphEnd)
  const [head, tail] = [[...inParagraph.trimStart()], [...paragraphRest.trimEnd()]]
  const isCutBefore = head.length > contextBefore || (!paragraphStart && start > maxSearchedBytes)
  const isCutAfter = tail.length > contextAfter
  const text = [...head.slice(-contextBefore), ...tail.slice(0, contextAfter)].join('')
  return `${isCutBefore ? '…' : ''}${text}${isCutAfter ? '…' : ''}`
}
