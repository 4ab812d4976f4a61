import type { AskRow } from '../../data/tables/asks.ts'
import type { AskView } from './types.ts'

export const askView = (row: AskRow): AskView => ({
  _id: row.id,
  projectId: row.projectId,
  kind: row.kind,
  title: row.title,
  body: row.body,
  options: row.options,
  state: row.state,
  createdBy: row.createdBy,
  assignees: row.assignees,
  claimedBy: row.claimedBy,
  chosenOption: row.chosenOption,
  resolution: row.resolution,
  createdAt: row.createdMs,
  updatedAt: row.updatedMs,
})
