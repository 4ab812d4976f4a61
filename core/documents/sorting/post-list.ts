import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import { ListOrder } from './list-order.ts'
import type { DocumentList } from './sorted-lists.ts'

export const mostRecentlyActive = new ListOrder(
  ({ activityMs }: DocumentRecord) => activityMs,
  ({ id }) => id,
  'descending',
)

export const postsOf = (project: Project): Omit<DocumentList<object>, 'row'> => ({
  name: `${project.id}/posts`,
  kind: 'post',
  order: mostRecentlyActive,
})
