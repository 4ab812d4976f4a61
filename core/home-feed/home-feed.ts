import type { AskRow, AsksTable } from '../../data/tables/asks.ts'
import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { askDetails } from '../asks/ask-details.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { doneColumn } from '../documents/model/columns.ts'
import { columnOf, pagePath, treePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import type { UnreadMentions, UnreadMentionView } from '../inbox/unread-mentions.ts'
import type { UnreadNotices } from '../inbox/unread-notices.ts'
import type { LinkResolver } from '../links/link-resolver.ts'
import { replaceReferences } from '../links/replace-references.ts'
import { readableText } from '../markdown/readable-text.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { localUrl } from '../rendering/local-url.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { ReadPositions } from '../rooms/read-positions.ts'
import type { SidebarRoom } from '../rooms/types.ts'
import type { Clock } from '../time/clock.ts'
import type {
  AskItem,
  CardItem,
  DueItem,
  HomeFeedItems,
  MemberName,
  MentionItem,
  NoticeItem,
  ProjectName,
  WriteItem,
} from './types.ts'

interface HomeFeedDeps {
  clock: Clock
  asks: AsksTable
  documents: DocumentsTable
  catalogue: Catalogue
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
  readPositions: ReadPositions
  references: LinkResolver
  unreadMentions: UnreadMentions
  unreadNotices: UnreadNotices
  isMounted: (record: DocumentRecord) => boolean
}

const limits = { mentions: 50, counted: 100, asks: 50, due: 50, writes: 30 }

const weekMs = 7 * 24 * 60 * 60 * 1000

export class HomeFeed {
  constructor(private readonly deps: HomeFeedDeps) {}

  feedFor(caller: Caller): HomeFeedItems {
    return {
      mentions: this.mentions(caller),
      mentionCount: this.mentionCount(caller),
      asks: this.asks(caller),
      due: this.due(caller),
      writes: this.writes(caller),
      rooms: this.rooms(caller),
    }
  }

  /** Newest first, as in `inbox/mentions.md`. */
  mentions(caller: Caller, limit = limits.mentions): MentionItem[] {
    if (!hasScope(caller, 'mentions:read')) return []
    return this.deps.unreadMentions.newest(caller, limit).map((mention) => {
      const { id, subjectKind, authorId, at, url } = mention
      const projectId = this.projectOf(mention)
      const render = (text: string) => this.renderText(caller, projectId, text)
      const title = subjectKind === 'message' ? mention.title : render(mention.title)
      const preview = mention.preview === null ? null : render(readableText(mention.preview))
      return { id, kind: subjectKind, by: this.memberName(authorId), title, preview, at, page: localUrl(url) }
    })
  }

  /** Newest first. Messages of one direct room, and replies in one place, are one item. */
  notices(caller: Caller, limit: number): NoticeItem[] {
    if (!hasScope(caller, 'mentions:read')) return []
    const items = new Map<string, NoticeItem>()
    for (const { view } of this.deps.unreadNotices.unread(caller.member, 4 * limit)) {
      const { id, kind, authorId, placeId, projectId, at, url } = view
      const group = kind === 'direct' || kind === 'reply' ? `${kind}:${placeId}` : id
      const item = items.get(group)
      if (item) item.ids.push(id)
      if (item || items.size === limit) continue
      const render = (text: string) => this.renderText(caller, projectId, readableText(text))
      const title = render(view.title)
      const preview = view.preview === null ? null : render(view.preview)
      const by = this.memberName(authorId)
      items.set(group, { ids: [id], kind, by, title, preview, at, page: localUrl(url) })
    }
    return [...items.values()]
  }

  /** 100 means 100 or more. */
  noticeCounts(caller: Caller): { all: number; direct: number } {
    if (!hasScope(caller, 'mentions:read')) return { all: 0, direct: 0 }
    const unread = this.deps.unreadNotices.unread(caller.member, limits.counted)
    return { all: unread.length, direct: unread.filter(({ row }) => row.kind === 'direct').length }
  }

  /** 100 means 100 or more. */
  mentionCount(caller: Caller): number {
    return hasScope(caller, 'mentions:read') ? this.deps.unreadMentions.count(caller, limits.counted) : 0
  }

  private asks(caller: Caller): AskItem[] {
    if (!hasScope(caller, 'asks:read')) return []
    const { asks, projects } = this.deps
    const { member } = caller
    const open = projects.readableBy(member).filter(({ archivedMs }) => archivedMs === null)
    const projectsById = new Map(open.map((project) => [project.id, project]))
    const ids = [...projectsById.keys()]
    const rows: [AskItem['why'], AskRow[]][] = [
      ['claimed', asks.claimedBy(member.id, limits.asks)],
      ['assigned', asks.openFor(ids, member.id, limits.asks)],
      ['question', member.type === 'human' ? asks.openQuestionsFor(ids, member.id, limits.asks) : []],
    ]
    const items = new Map<string, AskItem>()
    for (const [why, found] of rows) {
      for (const row of found) {
        const project = projectsById.get(row.projectId)
        if (!project || items.has(row.id) || items.size === limits.asks) continue
        const details = askDetails(row, this.deps.members)
        const title = this.renderText(caller, project.id, readableText(details.title))
        items.set(row.id, { ...details, title, why, project: nameOf(project) })
      }
    }
    return [...items.values()]
  }

  private due(caller: Caller): DueItem[] {
    const lastDay = new Date(this.deps.clock.now() + weekMs).toISOString().slice(0, 10)
    return assignedCards(caller, this.deps)
      .flatMap(({ record, project }) => {
        const { due } = record.card!
        if (!due || due.slice(0, 10) > lastDay) return []
        return [
          {
            id: record.id,
            number: record.number!,
            title: this.renderText(caller, project.id, record.title),
            due,
            project: nameOf(project),
            page: pagePath(project, record),
          },
        ]
      })
      .sort((one, other) => (one.due < other.due ? -1 : 1))
      .slice(0, limits.due)
  }

  /** The most recently active first. */
  cards(caller: Caller): CardItem[] {
    return assignedCards(caller, this.deps)
      .sort((one, other) => other.record.activityMs - one.record.activityMs)
      .map(({ record, project }) => ({
        number: record.number!,
        title: this.renderText(caller, project.id, record.title),
        path: treePath(project, record),
      }))
  }

  private writes(caller: Caller): WriteItem[] {
    const { catalogue, clock, documents, projects } = this.deps
    const { member } = caller
    const ids = projects.readableBy(member).map(({ id }) => id)
    const items: WriteItem[] = []
    for (const id of documents.writtenSince(ids, clock.now() - weekMs, member.id, 4 * limits.writes)) {
      const record = catalogue.find(id)
      if (!record || record.kind === 'draft' || !mayRead(caller, record, projects)) continue
      if (!this.deps.isMounted(record)) continue
      const project = projects.find(record.projectId)!
      items.push({
        id,
        kind: record.kind,
        title: this.renderText(caller, project.id, record.title),
        isNew: record.editedMs === null,
        by: this.memberName(record.editorId),
        at: record.editedMs ?? record.publishedMs,
        project: nameOf(project),
        page: pagePath(project, record),
      })
      if (items.length === limits.writes) break
    }
    return items
  }

  private rooms(caller: Caller): SidebarRoom[] {
    if (!hasScope(caller, 'rooms:read')) return []
    const { joined } = this.deps.readPositions.overview(caller.member)
    return joined.filter(({ unread, mentions }) => unread > 0 || mentions > 0)
  }

  private projectOf({ subjectKind, placeId }: UnreadMentionView): string | null {
    const { catalogue, memberships } = this.deps
    const container = subjectKind === 'message' ? memberships.find(placeId) : catalogue.find(placeId)
    return container?.projectId ?? null
  }

  private renderText(caller: Caller, projectId: string | null, text: string): string {
    return replaceReferences(this.deps.references, { caller, projectId }, text)
  }

  private memberName(memberId: string): MemberName {
    const { id, name, type } = this.deps.members.find(memberId)!
    return { id, name, type }
  }
}

const nameOf = ({ id, slug, name }: Project): ProjectName => ({ id, slug, name })

/** Open cards in projects that are not archived. */
function assignedCards(
  caller: Caller,
  { catalogue, isMounted, projects }: Pick<HomeFeedDeps, 'catalogue' | 'isMounted' | 'projects'>,
): { record: DocumentRecord; project: Project }[] {
  if (!hasScope(caller, 'cards:read')) return []
  const { id, name } = caller.member
  const isAssigned = (record: DocumentRecord) =>
    record.card!.assignees.some((one) => one === name || one === id) && isOpen(record) && isMounted(record)
  return projects
    .readableBy(caller.member)
    .filter(({ archivedMs }) => archivedMs === null)
    .flatMap((project) =>
      catalogue
        .ofKind(project.id, 'card')
        .filter(isAssigned)
        .map((record) => ({ record, project })),
    )
}

const isOpen = (record: DocumentRecord): boolean =>
  record.status !== 'closed' && columnOf(record) !== doneColumn
