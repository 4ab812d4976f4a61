import { type Html, html } from '../html.ts'

const thisYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const anyYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/**
 * In browsers with script late or not by the reader's own day (`client/time.ts`).
 * @param due as ISO 8601 writes it; its day is meant
 * @param nowMs Unix milliseconds; null: it is not late any more
 */
export function dueDate(due: string, nowMs: number | null): Html {
  const dayMs = Date.parse(due.slice(0, 10))
  const today = new Date(nowMs ?? dayMs).toISOString().slice(0, 10)
  const isLate = due.slice(0, 10) < today
  const format = due.slice(0, 4) === today.slice(0, 4) ? thisYear : anyYear
  return html`<time class="tag due${isLate && html` danger`}" datetime="${due.slice(0, 10)}" \
data-show="due"${nowMs === null && html` data-ended`}>${isLate ? 'Was due' : 'Due'} ${format.format(dayMs)}</time>`
}
