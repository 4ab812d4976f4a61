import { localizeTimes } from '../time.ts'

/** Divides messages by the reader's days; the server only knows UTC. */
export function insertDayDividers(within: ParentNode): void {
  const messages = within.querySelectorAll<HTMLElement>('#messages > .message')
  if (messages.length === 0) return
  const outdated = new Set(within.querySelectorAll<HTMLElement>('#messages > .day'))
  let previousDay = ''
  for (const message of messages) {
    const time = message.querySelector('time')
    if (!time) continue
    const day = dayOf(new Date(time.dateTime))
    if (day === previousDay) continue
    previousDay = day
    message.classList.remove('follows')
    const line = message.previousElementSibling
    const anchor = line?.id === 'new-line' ? line : message
    const divider = anchor.previousElementSibling
    if (divider instanceof HTMLElement && divider.id === `day-${day}` && isLocal(divider))
      outdated.delete(divider)
    else anchor.before(dividerOf(day, new Date(time.dateTime)))
  }
  for (const divider of outdated) divider.remove()
}

/** The server's dividers are in UTC. */
const isLocal = ({ dataset }: HTMLElement) => dataset.local !== undefined

const dayOf = (at: Date) =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function dividerOf(day: string, at: Date): HTMLElement {
  const divider = document.createElement('h2')
  divider.className = 'day'
  divider.id = `day-${day}`
  divider.dataset.local = ''
  const time = document.createElement('time')
  time.dateTime = at.toISOString()
  time.dataset.show = 'day'
  divider.append(time)
  localizeTimes(divider)
  return divider
}
