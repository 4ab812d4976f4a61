import { WorkspaceError } from '../../errors/workspace-error.ts'
import { slugOf } from '../../text/slug.ts'

export const columns = [
  { name: '01-triage', title: 'Triage' },
  { name: '02-todo', title: 'To do' },
  { name: '03-in-progress', title: 'In progress' },
  { name: '04-done', title: 'Done' },
] as const

export type ColumnName = (typeof columns)[number]['name']

/** Cards that enter this column are closed; cards that leave it are reopened. */
export const doneColumn: ColumnName = '04-done'

export function findColumn(spelled: string): ColumnName | null {
  const slug = slugOf(spelled)
  const found = columns.find(
    ({ name, title }) => name === slug || name.slice(3) === slug || slugOf(title) === slug,
  )
  return found?.name ?? null
}

/** @throws WorkspaceError `bad_request` */
export function requireColumn(spelled: string): ColumnName {
  const column = findColumn(spelled)
  if (column) return column
  throw new WorkspaceError(
    'bad_request',
    `There is no column ${JSON.stringify(spelled)}. The board has four: ${columns.map(({ name }) => name).join(', ')}.`,
  )
}
