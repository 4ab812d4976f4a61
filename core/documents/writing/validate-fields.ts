import type { Caller } from '../../access/member.ts'
import { requireScope } from '../../access/permissions.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { ParsedContent } from '../../markdown/index.ts'
import type { MemberStore } from '../../members/member-store.ts'
import { cardFieldError } from '../model/card-fields.ts'
import { scheduledMsOf, scheduleProblem } from '../model/schedule.ts'
import type { DocumentKind } from '../model/types.ts'

const fieldsOf = (digest: ParsedContent | null): Record<string, unknown> => digest?.frontmatter?.fields ?? {}

/** @throws WorkspaceError `invalid`, naming the key; `forbidden` if the key may not schedule a publication */
export function requireValidFields(
  { members }: { members: MemberStore },
  caller: Caller,
  kind: DocumentKind,
  digest: ParsedContent,
  before: ParsedContent | null,
): void {
  if (kind === 'draft') requireValidSchedule(caller, fieldsOf(digest), fieldsOf(before))
  if (kind === 'card') requireValidCard(members, fieldsOf(digest), fieldsOf(before))
}

/** The scheduling caller must be allowed to publish. */
function requireValidSchedule(
  caller: Caller,
  fields: Record<string, unknown>,
  before: Record<string, unknown>,
): void {
  const scheduledMs = scheduledMsOf(fields)
  if (Number.isNaN(scheduledMs)) throw new WorkspaceError('invalid', scheduleProblem)
  if (scheduledMs !== null && scheduledMs !== scheduledMsOf(before)) requireScope(caller, 'posts:write')
}

function requireValidCard(
  members: MemberStore,
  fields: Record<string, unknown>,
  before: Record<string, unknown>,
): void {
  const names = new Set(Array.isArray(before.assignees) ? before.assignees : [])
  const isMember = (name: string) =>
    names.has(name) || members.active().some((member) => member.name === name || member.id === name)
  const problem = cardFieldError(fields, isMember)
  if (problem) throw new WorkspaceError('invalid', problem)
}
