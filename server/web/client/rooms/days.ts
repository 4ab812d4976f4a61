import { localizeTimes } from '../time.ts'

/**
 * Inserts dividers between days in the reader's time zone; the server only knows UTC. The first message of a day
 * shows its author.
 */
export function insertDayDividers(within: ParentNode): void {
  const messages = within.querySelectorAll<HTMLElement>('#messages > .message')
  if (messages.length === 0) return
  for (const divider of within.querySelectorAll('#messages > .day')) divider.remove()
  let before = ''
  for (const message of messages) {
    const time = message.querySelector('time')
    if (!time) continue
    const at = new Date(time.dateTime)
    const day = dayOf(at)
    if (day === before) continue
    before = day
    message.classList.remove('follows')
    const line = message.previousElementSibling
    const place = line?.id === 'new-line' ? line : message
    place.before(dividerOf(day, at))
  }
  localizeTimes(within)
}

const dayOf = (at: Date) =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function dividerOf(day: string, at: Date): HTMLElement {
  const divider = document.createElement('h2')
  divider.className = 'day'
  divider.id = `day-${day}`
  const time = document.createElement('time')
  time.dateTime = at.toISOString()
  time.dataset.show = 'day'
  divider.append(time)
  return divider
}
