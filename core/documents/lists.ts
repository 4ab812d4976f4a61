import type { DocumentRecord } from '../../data/tables/documents.ts'
import { requireScope } from '../access.ts'
import type { Caller } from '../members/types.ts'
import type { Project } from '../projects/types.ts'
import { revisionOf } from '../revision.ts'
import type { Addressing } from './addressing.ts'
import { byPosition } from './cards.ts'
import { columns, requireColumn } from './columns.ts'
import type { Disk } from './disk/disk.ts'
import type { Parts } from './parts.ts'
import { columnOf, filenameOf, homePath, homePathOf, pagePath, treePath } from './places.ts'
import type { Reads } from './reads.ts'
import type {
  Addresses,
  CardRow,
  ColumnRow,
  DocumentLists,
  DocumentRow,
  Folder,
  PostRow,
  Reading,
} from './types.ts'

const lastEdited = (record: DocumentRecord) => record.editedMs ?? record.publishedMs

const newestFirst =
  (timeOf: (record: DocumentRecord) => number) =>
  (a: DocumentRecord, b: DocumentRecord): number =>
    timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1)

/** The tree's folders: one row an entry, each with the path at which it is read (`decisions.md`, The file tree). */
export class Lists implements Omit<DocumentLists, 'trash'> {
  private readonly parts: Parts
  private readonly addressing: Addressing
  private readonly disk: Disk

  constructor(parts: Parts, addressing: Addressing, disk: Disk) {
    this.parts = parts
    this.addressing = addressing
    this.disk = disk
  }

  async posts(caller: Caller, slug: string): Promise<{ project: string; posts: PostRow[] }> {
    const project = await this.fresh(caller, slug, 'posts')
    return {
      project: project.slug,
      posts: this.postRows(project, this.parts.catalogue.ofKind(project.id, 'post')),
    }
  }

  async drafts(caller: Caller, slug: string): Promise<{ project: string; posts: PostRow[] }> {
    const project = await this.fresh(caller, slug, 'drafts')
    const own = this.parts.catalogue.ofKind(project.id, 'draft', caller.member.id)
    return { project: project.slug, posts: this.postRows(project, own) }
  }

  async documents(caller: Caller, slug: string): Promise<{ project: string; documents: DocumentRow[] }> {
    const project = await this.fresh(caller, slug, 'documents')
    const records = this.parts.catalogue.ofKind(project.id, 'document').sort(newestFirst(lastEdited))
    return { project: project.slug, documents: records.map((record) => this.documentRow(project, record)) }
  }

  async library(caller: Caller, slug: string) {
    const project = await this.fresh(caller, slug, 'documents')
    const count = this.parts.catalogue.countOfKind(project.id, 'document')
    const path = `/v1/fs/projects/${encodeURIComponent(project.slug)}/library/documents`
    return { project: project.slug, folders: [{ name: 'documents', count, path }] }
  }

  async board(caller: Caller, slug: string): Promise<{ project: string; columns: ColumnRow[] }> {
    const project = await this.fresh(caller, slug, 'board')
    const cards = this.parts.catalogue.ofKind(project.id, 'card')
    const rows = columns.map(({ name, title }) => ({
      name,
      title,
      count: cards.filter((card) => columnOf(card) === name).length,
      path: `/v1/fs/projects/${encodeURIComponent(project.slug)}/board/${name}`,
    }))
    return { project: project.slug, columns: rows }
  }

  async column(
    caller: Caller,
    slug: string,
    spelled: string,
  ): Promise<{ project: string; column: string; cards: CardRow[] }> {
    const project = await this.fresh(caller, slug, 'board')
    const column = requireColumn(spelled)
    const cards = this.parts.catalogue
      .ofKind(project.id, 'card')
      .filter((card) => columnOf(card) === column)
      .sort(byPosition)
    return { project: project.slug, column, cards: cards.map((card) => this.cardRow(project, card)) }
  }

  /** The project's home page with its folders listed below it, so that whoever has only this page finds the rest. */
  async briefing(caller: Caller, slug: string, reads: Reads): Promise<Reading> {
    requireScope(caller, 'projects:read')
    const project = this.parts.projects.require(caller.member, slug)
    this.disk.requireUsable(project)
    await this.disk.look(homePathOf(project, homePath))
    const home = this.parts.catalogue.ofKind(project.id, 'home')[0]
    const reading = home && !this.disk.isAway(home) ? reads.render(home, project) : null
    const body = Buffer.concat([
      reading?.body ?? Buffer.from(`# ${project.name}\n`),
      this.folderList(caller, project),
    ])
    return {
      body,
      revision: revisionOf(body),
      url: this.parts.pageUrl(`/projects/${encodeURIComponent(project.slug)}`),
      isEnvelopeAsWritten: true,
    }
  }

  private folderList(caller: Caller, project: Project): Buffer {
    const { catalogue } = this.parts
    const base = `/v1/fs/projects/${encodeURIComponent(project.slug)}`
    const folders: [path: string, what: string, count: number][] = [
      ['posts', 'published posts', catalogue.countOfKind(project.id, 'post')],
      ['drafts', 'your drafts', catalogue.ofKind(project.id, 'draft', caller.member.id).length],
      ['library/documents', 'documents', catalogue.countOfKind(project.id, 'document')],
      ['board', 'cards', catalogue.countOfKind(project.id, 'card')],
    ]
    const lines = folders.map(([path, what, count]) => `- \`${base}/${path}\`: ${what} (${count})`)
    return Buffer.from(
      `\n## In this project\n\n${lines.join('\n')}\n- \`${base}/trash\`: what was deleted, restorable\n`,
    )
  }

  private async fresh(caller: Caller, slug: string, folder: Folder): Promise<Project> {
    const project = this.addressing.enter(caller, slug, folder, 'read')
    await this.disk.freshen(project, folder)
    return project
  }

  private postRows(project: Project, records: DocumentRecord[]): PostRow[] {
    return records.sort(newestFirst(({ activityMs }) => activityMs)).map((record) => ({
      filename: filenameOf(record),
      id: record.id,
      title: record.title,
      publishedAt: record.publishedMs,
      isDraft: record.kind === 'draft',
      ...this.addressesOf(project, record),
    }))
  }

  private documentRow(project: Project, record: DocumentRecord): DocumentRow {
    return {
      filename: filenameOf(record),
      id: record.id,
      title: record.title,
      author: this.parts.members.find(record.authorId)!.name,
      lastEditedAt: lastEdited(record),
      bytes: record.bytes,
      ...this.addressesOf(project, record),
    }
  }

  private cardRow(project: Project, record: DocumentRecord): CardRow {
    return {
      filename: filenameOf(record),
      id: record.id,
      number: record.number!,
      title: record.title,
      status: record.status!,
      ...record.card!,
      lastActivityAt: record.activityMs,
      ...this.addressesOf(project, record),
    }
  }

  /** What every row ends with. */
  private addressesOf(project: Project, record: DocumentRecord): Addresses {
    const conflictCopies = this.disk.conflictCopies(record, project)
    return {
      path: treePath(project, record),
      url: this.parts.pageUrl(pagePath(project, record)),
      ...(conflictCopies.length > 0 ? { conflictCopies } : {}),
    }
  }
}
