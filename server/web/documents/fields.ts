import { type Html, html } from '../html.ts'

const shownElsewhere = new Set(['title', 'scheduledFor'])

const maxFields = 30
const maxValueLength = 500

export function fieldList(fields: Record<string, unknown>): Html | false {
  const shown = Object.entries(fields)
    .filter(([name, value]) => !shownElsewhere.has(name) && isDisplayed(value))
    .slice(0, maxFields)
  if (shown.length === 0) return false
  return html`<dl class="details fields">
${shown.map(
  ([name, value]) => html`<dt><bdi>${name}</bdi></dt>
<dd>${shownValue(value)}</dd>
`,
)}</dl>`
}

const isDisplayed = (value: unknown): boolean =>
  value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

function shownValue(value: unknown): Html | string {
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return html`${value.slice(0, maxFields).map((one) => html`<span class="tag"><bdi>${cut(String(one))}</bdi></span> `)}`
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return html`<code>${cut(JSON.stringify(value))}</code>`
  return html`<bdi>${cut(String(value))}</bdi>`
}

const cut = (text: string): string =>
  text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text
