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

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
