/**
 * Shows times in the reader's language and time zone, by `data-show`: `time`, `day`, `ago`, `due`, or `moment`
 * (default). Forms with dates send the zone as `zone`.
 */
export function localizeTimes(within: ParentNode): void {
  finishPage()
  sendTimeZone(within)
  for (const element of within.querySelectorAll<HTMLTimeElement>('time[datetime]')) localize(element)
}

/** Does the same for the whole page, in time slices: a page can have thousands of times. */
export function localizePage(): void {
  sendTimeZone(document)
  remaining = [...document.getElementsByTagName('time')].reverse()
  localizeSlice()
}

const sliceMs = 3

/** Elements of the page that are not localized yet, in reverse order. */
let remaining: HTMLTimeElement[] = []

function localizeSlice(): void {
  const endMs = performance.now() + sliceMs
  while (remaining.length > 0 && performance.now() < endMs) localize(remaining.pop()!)
  if (remaining.length > 0) setTimeout(localizeSlice)
}

/** A fetched part is compared with the shown one, so both must be localized. */
function finishPage(): void {
  while (remaining.length > 0) localize(remaining.pop()!)
}

function sendTimeZone(within: ParentNode): void {
  for (const field of within.querySelectorAll<HTMLInputElement>('input[type=hidden][name=zone]'))
    field.value = Intl.DateTimeFormat().resolvedOptions().timeZone
}

function localize(element: HTMLTimeElement): void {
  if (element.dataset.show === 'due') {
    localizeDue(element)
    return
  }
  const at = new Date(element.dateTime)
  if (Number.isNaN(at.getTime())) return
  write(element, formatTime(at, element.dataset.show))
  element.title = full.format(at)
}

/** Leaves equal text alone, to avoid a layout: the server has usually written the same. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** A due date is the same day in every time zone; whether it is late depends on the reader's day. */
function localizeDue(element: HTMLTimeElement): void {
  const [year = 0, month = 1, dayOfMonth = 1] = element.dateTime.split('-').map(Number)
  const [day, now] = [new Date(year, month - 1, dayOfMonth), new Date()]
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const isLate = !('ended' in element.dataset) && day < today
  const format = year === now.getFullYear() ? shortDay : date
  element.classList.toggle('danger', isLate)
  write(element, `${isLate ? 'Was due' : 'Due'} ${format.format(day)}`)
}

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

function formatTime(at: Date, style = 'moment'): string {
  if (style === 'time') return timeOfDay.format(at)
  if (style === 'day') return dayOf(at)
  if (style === 'ago') return relativeTime(at)
  return isToday(at) ? timeOfDay.format(at) : `${date.format(at)}, ${timeOfDay.format(at)}`
}

function dayOf(at: Date): string {
  if (isToday(at)) return 'Today'
  return at.getFullYear() === new Date().getFullYear() ? weekday.format(at) : date.format(at)
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

function relativeTime(at: Date): string {
  const minutes = Math.round((at.getTime() - Date.now()) / 60_000)
  if (Math.abs(minutes) < 1) return 'just now'
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute')
  return isToday(at) ? relative.format(Math.round(minutes / 60), 'hour') : formatTime(at)
}

setInterval(() => {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-show="ago"]')) {
    write(element, relativeTime(new Date(element.dateTime)))
  }
}, 60_000)

const isToday = (at: Date) => at.toDateString() === new Date().toDateString()
