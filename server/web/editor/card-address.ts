import type { Caller } from '../../../core/access/member.ts'
import type { Address } from '../../../core/documents/model/types.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import type { Workspace } from '../../../core/workspace/index.ts'

/** Finds a card by number, in any column. @throws WorkspaceError `not_found`, `forbidden` */
export async function cardAddress(
  { documents }: Pick<Workspace, 'documents'>,
  caller: Caller,
  project: string,
  name: string,
): Promise<Address> {
  const cards = await documents.board.cards(caller, project)
  const card = cards.find(({ number }) => String(number) === name)
  if (!card) throw new WorkspaceError('not_found', `There is no card ${JSON.stringify(name)} on this board.`)
  return { project, folder: 'board', column: card.column, name }
}
