import type { AskRow } from '../../data/tables/asks.ts'
import { plainText, previewOf } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { AskKind, AskState } from './types.ts'

export interface AskDetails {
  id: string
  kind: AskKind
  state: AskState
  title: string
  preview: string
  options: string[]
  askedBy: string
  assignees: string[]
  claimedBy: string | null
  resolvedBy: string | null
  answer: string[]
  createdMs: number
  updatedMs: number
}

export function askDetails(row: AskRow, members: MemberStore): AskDetails {
  const names = members.names()
  const nameOf = (id: string) => members.find(id)!.name
  const { claimedBy, resolvedBy, chosenOption, resolution } = row
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    title: plainText(row.title, names),
    preview: previewOf(row.body, names),
    options: row.options,
    askedBy: nameOf(row.createdBy),
    assignees: row.assignees.map(nameOf),
    claimedBy: claimedBy && nameOf(claimedBy),
    resolvedBy: resolvedBy && nameOf(resolvedBy),
    answer: [chosenOption ?? '', previewOf(resolution ?? '', names)].filter((text) => text !== ''),
    createdMs: row.createdMs,
    updatedMs: row.updatedMs,
  }
}
