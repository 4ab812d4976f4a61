/** Rejects `2026-02-30`, which `Date` accepts. */
export function startsWithDate(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0]
  if (day === undefined) return false
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}
