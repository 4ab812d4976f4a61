import type { CardFields, DocumentRecord } from '../../../data/tables/documents.ts'
import { startsWithDate } from './calendar-day.ts'

/** Keys of a card's frontmatter (`docs/markdown.md#cards`). */
const statuses = ['drafted', 'active', 'closed']
const priorities = ['none', 'low', 'medium', 'high', 'urgent']

type FieldRule = (value: unknown, isMember: (name: string) => boolean) => string | null

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && startsWithDate(value) && !Number.isNaN(Date.parse(value))
const isCardNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
const oneOf =
  (allowed: string[]): FieldRule =>
  (value) =>
    typeof value === 'string' && allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`

/** A rule returns null for a valid value. A key without a value counts as missing. */
const rules: Record<string, FieldRule> = {
  status: oneOf(statuses),
  priority: oneOf(priorities),
  kind: oneOf(['question']),
  labels: (value) => (Array.isArray(value) && value.every(isText) ? null : 'must be a list of words'),
  assignees: (value, isMember) => {
    if (!Array.isArray(value) || !value.every(isText)) return 'must be a list of member names'
    const stranger = value.find((name) => !isMember(name))
    return stranger === undefined ? null : `names ${JSON.stringify(stranger)}, who is no active member`
  },
  'blocked-by': (value) =>
    Array.isArray(value) && value.every(isCardNumber) ? null : 'must be a list of card numbers',
  resolution: (value) => (isText(value) ? null : 'must be a text'),
  due: (value) => (isDay(value) ? null : 'must be a date such as 2026-12-24'),
}

/** Returns a message about the first invalid key. @param isMember whether a name can be assigned */
export function cardFieldError(
  fields: Record<string, unknown>,
  isMember: (name: string) => boolean,
): string | null {
  for (const [key, rule] of Object.entries(rules)) {
    const value = fields[key]
    if (value === undefined || value === null) continue
    const problem = rule(value, isMember)
    if (problem) return `The card's ${key} ${problem}.`
  }
  return null
}

const maxResolutionLength = 1000

/** Reads missing and invalid values, which files from the disk can have, as empty. */
export function cardFields(fields: Record<string, unknown>): CardFields {
  const texts = (value: unknown) => (Array.isArray(value) ? value.filter(isText) : [])
  const { kind, priority, resolution, due, 'blocked-by': blockers } = fields
  const blockedBy = Array.isArray(blockers) ? blockers.filter(isCardNumber) : []
  return {
    priority: typeof priority === 'string' && priorities.includes(priority) ? priority : 'none',
    labels: texts(fields.labels),
    assignees: texts(fields.assignees),
    ...(kind === 'question' && { isQuestion: true }),
    ...(blockedBy.length > 0 && { blockedBy }),
    ...(isDay(due) && { due }),
    ...(isText(resolution) && { resolution: resolution.slice(0, maxResolutionLength) }),
  }
}

export function statusInFile(fields: Record<string, unknown>): string | null {
  return typeof fields.status === 'string' && statuses.includes(fields.status) ? fields.status : null
}

/** The status to show in place of the author's, since the column decides it; null if they agree. */
export function displayedStatus(
  record: Pick<DocumentRecord, 'kind' | 'status'>,
  fields: Record<string, unknown>,
): string | null {
  return record.kind === 'card' && record.status !== (statusInFile(fields) ?? 'active') ? record.status : null
}
