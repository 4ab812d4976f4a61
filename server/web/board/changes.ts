import type { Caller } from '../../../core/access/member.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { type Html, html } from '../html.ts'
import { changesSince, wholePage } from '../page-changes.ts'
import { requireProject } from '../projects/frame.ts'
import { cardElement, picturesByName } from './card-element.ts'
import { type BoardColumn, boardColumns, columnHeader, firstCard } from './columns.ts'

/**
 * Changes for `server/client/board/changes.ts`.
 * @throws WorkspaceError `bad_request` for `?since=`; as `requireProject`
 */
export async function boardChanges(workspace: Workspace, ctx: RouteContext, caller: Caller): Promise<Html> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const { sequence } = workspace.events.changeTopics
  const changes = await workspace.documents.board.changes(caller, project.slug, changesSince(ctx))
  if (!changes) return wholePage
  const { cards, changedIds, removedIds } = changes
  const isOpen = project.archivedMs === null
  const context = {
    nowMs: workspace.clock.now(),
    isOpen,
    pictures: picturesByName(workspace.directory.members.active()),
  }
  const changesOf = (column: BoardColumn): Html => {
    const { name, shown, count } = column
    const isCut = count > shown.length
    const added = isCut ? moved(changedIds, shown) + removedIds.length : 0
    return html`<ol data-column="${name}" data-count="${shown.length}"${isCut && html` data-first="card-${shown[0]!.id}"`}>
${shown.map((card, index) => {
  if (!changedIds.has(card.id) && index >= added) return false
  return html`<div data-after="${index > 0 && `card-${shown[index - 1]!.id}`}">${cardElement(card, context)}</div>`
})}</ol>`
  }
  const shown = boardColumns(cards, ctx.query.done === 'all')
  return html`${firstCard(project, cards)}
${shown.map((column) => columnHeader(project, column))}
<div id="changes" data-sequence="${sequence}" data-removed="${removedIds.map((id) => `card-${id}`).join(' ')}"${
    isOpen && html` data-movable`
  }>
${shown.map(changesOf)}</div>`
}

/** How many changed cards may have left a column that is cut: as many older cards take their place. */
const moved = (changedIds: ReadonlySet<string>, shown: readonly BoardCard[]): number =>
  [...changedIds].filter((id) => !shown.some((card) => card.id === id)).length
