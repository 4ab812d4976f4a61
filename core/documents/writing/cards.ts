import { generateKeyBetween } from 'fractional-indexing'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { byPosition } from '../model/card-order.ts'
import { type ColumnName, requireColumn } from '../model/columns.ts'
import { columnOf, filenameOf, pagePath, treePath } from '../model/document-paths.ts'
import type { Address, MoveResult } from '../model/types.ts'
import type { Writes } from './writes.ts'

export class Cards {
  constructor(
    private readonly deps: DocumentsDeps,
    private readonly addressing: AddressResolver,
    private readonly writes: Writes,
  ) {}

  /** `before`, `after`: card numbers. @throws WorkspaceError `bad_request` (column), `invalid` (neighbour) */
  async move(
    caller: Caller,
    address: Address,
    to: { toColumn: string; before?: number; after?: number },
  ): Promise<MoveResult> {
    const column = requireColumn(to.toColumn)
    return this.addressing.withLockOnExisting(caller, address, async ({ record, project }) => {
      const position = this.positionIn(project, column, record, to)
      const moved = columnOf(record) !== column || (position !== undefined && position !== record.position)
      const card = moved
        ? await this.writes.moveCard(caller.member, { project, record }, column, position)
        : record
      return {
        id: card.id,
        number: card.number!,
        filename: filenameOf(card),
        path: treePath(project, card),
        url: this.deps.pageUrl(pagePath(project, card)),
        column,
        moved,
      }
    })
  }

  private positionIn(
    project: Project,
    column: ColumnName,
    card: DocumentRecord,
    { before, after }: { before?: number; after?: number },
  ): string | undefined {
    if (before === undefined && after === undefined) return undefined
    const others = this.deps.catalogue
      .ofKind(project.id, 'card')
      .filter((other) => columnOf(other) === column && other.id !== card.id)
      .sort(byPosition)
    const indexOf = (number: number) => {
      const index = others.findIndex((other) => other.number === number)
      if (index >= 0) return index
      throw new WorkspaceError('invalid', `There is no other card ${number} in ${column}.`)
    }
    const index = before === undefined ? indexOf(after!) + 1 : indexOf(before)
    if (after !== undefined && before !== undefined && indexOf(after) !== index - 1) {
      throw new WorkspaceError('invalid', `Card ${after} is not directly before card ${before} in ${column}.`)
    }
    const above = others[index - 1]?.position ?? null
    // Cards that were moved concurrently may share a position: the next one after them counts.
    const below =
      others.slice(index).find(({ position }) => above === null || position! > above)?.position ?? null
    const isBetween =
      columnOf(card) === column &&
      (above === null || card.position! > above) &&
      (below === null || card.position! < below)
    return isBetween ? card.position! : generateKeyBetween(above, below)
  }
}
