/** The calendar of a time zone. @param timeZone such as `Europe/Berlin` */
export function calendarOf(timeZone: string): (timeMs: number) => string {
  // Canada writes the date as ISO 8601 does.
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (timeMs) => format.format(timeMs)
}

const dayMs = 24 * 60 * 60 * 1000
/** No time zone is further from UTC. */
const maxOffsetMs = 15 * 60 * 60 * 1000

/** Returns when a day such as `2026-06-18` begins; null if there is no such day. */
export function startOfDay(date: string, timeZone: string): number | null {
  const utcMs = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(utcMs) || new Date(utcMs).toISOString().slice(0, 10) !== date) return null
  const dateAt = calendarOf(timeZone)
  let [before, after] = [utcMs - maxOffsetMs - dayMs, utcMs + maxOffsetMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dateAt(middle) < date) before = middle
    else after = middle
  }
  return after
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
