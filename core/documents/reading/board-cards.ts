import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { byPosition } from '../model/card-order.ts'
import { columns } from '../model/columns.ts'
import { columnOf, pagePath, treePath } from '../model/document-paths.ts'
import type { BoardCard, BoardChanges, CardLink } from '../model/types.ts'

const maxChanges = 50

export class BoardCards {
  private readonly shared: DocumentsDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync

  constructor(shared: DocumentsDeps, deps: { addressing: AddressResolver; disk: DiskSync }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.disk = deps.disk
  }

  /** By column and position. @throws WorkspaceError as `DocumentLists.column` */
  async cards(caller: Caller, slug: string): Promise<BoardCard[]> {
    const project = this.addressing.requireProject(caller, slug, 'board', 'read')
    await this.disk.rescanFolder(project, 'board')
    const records = (await this.disk.listed(project.id, 'card')).sort(byPosition)
    return columns.flatMap(({ name }) =>
      records.filter((record) => columnOf(record) === name).map((record) => this.card(project, record)),
    )
  }

  /** Returns what changed after a `ChangeTopics` sequence; null if unknown or too much. @throws as `cards` */
  async changes(caller: Caller, slug: string, sequence: number): Promise<BoardChanges | null> {
    const project = this.addressing.requireProject(caller, slug, 'board', 'read')
    const changed = this.shared.changeTopics.cardsChangedSince(sequence, project.id)
    if (changed === null || changed.length > maxChanges) return null
    const cards = await this.cards(caller, slug)
    const numbers = new Set(changed.map(({ number }) => number))
    const ids = new Set(changed.map(({ id }) => id))
    const blockersOf = (id: string) => this.shared.catalogue.find(id)?.card?.blockedBy ?? []
    const isAffected = ({ id }: BoardCard) =>
      ids.has(id) || blockersOf(id).some((number) => numbers.has(number))
    const present = new Set(cards.map(({ id }) => id))
    return {
      cards,
      changedIds: new Set(cards.filter(isAffected).map(({ id }) => id)),
      removedIds: [...ids].filter((id) => !present.has(id)),
    }
  }

  private card(project: Project, record: DocumentRecord): BoardCard {
    const { priority, labels, assignees, due = null, isQuestion = false, resolution = null } = record.card!
    return {
      id: record.id,
      number: record.number!,
      title: record.title,
      column: columnOf(record)!,
      status: record.status!,
      priority,
      labels,
      assignees: assignees.map((one) => this.shared.members.find(one)?.name ?? one),
      due,
      isQuestion,
      resolution,
      blockedBy: this.blockers(project, record),
      lastActivityAt: record.activityMs,
      path: treePath(project, record),
      page: pagePath(project, record),
    }
  }

  private blockers(project: Project, { number: own, card }: DocumentRecord): CardLink[] {
    return [...new Set(card!.blockedBy ?? [])].flatMap((number) => {
      const record = number === own ? null : this.shared.catalogue.cardWithNumber(project.id, number)
      if (!record) return []
      const { title, status } = record
      return { number, title, isClosed: status === 'closed', page: pagePath(project, record) }
    })
  }
}
