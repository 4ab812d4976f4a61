import { startsWithDate } from './calendar-day.ts'

/** ISO 8601 or epoch milliseconds; null if absent, NaN if invalid. */
export function scheduledMsOf(fields: Record<string, unknown>): number | null {
  const value = fields.scheduledFor
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : Number.NaN
  if (typeof value !== 'string' || !startsWithDate(value)) return Number.NaN
  return Date.parse(value)
}
