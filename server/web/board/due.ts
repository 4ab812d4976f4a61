import { type Html, html } from '../html.ts'

const thisYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const anyYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/**
 * `server/client/time.ts` marks lateness by the reader's own day.
 * @param nowMs null if the date no longer matters
 */
export function dueDate(due: string, nowMs: number | null): Html {
  const dayMs = Date.parse(due.slice(0, 10))
  const today = new Date(nowMs ?? dayMs).toISOString().slice(0, 10)
  const isLate = due.slice(0, 10) < today
  const format = due.slice(0, 4) === today.slice(0, 4) ? thisYear : anyYear
  return html`<time class="tag due${isLate && html` danger`}" datetime="${due.slice(0, 10)}" \
data-show="due"${nowMs === null && html` data-ended`}>${isLate ? 'Was due' : 'Due'} ${format.format(dayMs)}</time>`
}
