import { startsWithDate } from './calendar-day.ts'

export const scheduleProblem =
  'scheduledFor must be a time with its zone: ISO 8601, such as 2026-12-24T18:00:00Z or 2026-12-24T18:00:00+01:00, or epoch milliseconds.'

const timeWithZone = /\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i

/** ISO 8601 with a zone, or epoch milliseconds; null if absent, NaN if invalid. */
export function scheduledMsOf(fields: Record<string, unknown>): number | null {
  const value = fields.scheduledFor
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : Number.NaN
  const isTime = typeof value === 'string' && startsWithDate(value) && timeWithZone.test(value)
  return isTime ? Date.parse(value) : Number.NaN
}
