import { keyOf, StoredValue } from './stored-value.ts'

const sidebar = () => document.getElementById('navigation')

/** The sidebar stays scrolled as it was from page to page, and shows where its reader is. */
export function keepSidebarPosition(): void {
  const shown = sidebar()
  if (!shown) return
  const stored = new StoredValue<number>(sessionStorage, keyOf('sidebar', 'top'))
  let top = stored.read() ?? 0
  const restore = () => {
    shown.scrollTop = top
    showCurrent(shown)
  }
  restore()
  shown.addEventListener('scroll', () => {
    if (shown.checkVisibility()) top = shown.scrollTop
  })
  addEventListener('pagehide', () => stored.write(shown.checkVisibility() ? shown.scrollTop : top))
  // On a phone it has no size before it is opened.
  shown.addEventListener('toggle', restore)
}

/** Scrolls no further than is needed. */
function showCurrent(shown: HTMLElement): void {
  const current = shown.querySelector<HTMLElement>('a[aria-current]')
  if (!current || !shown.checkVisibility()) return
  const [frame, item] = [shown.getBoundingClientRect(), current.getBoundingClientRect()]
  if (item.top < frame.top) shown.scrollTop -= frame.top - item.top
  else if (item.bottom > frame.bottom) shown.scrollTop += item.bottom - frame.bottom
}

/** Alt with Up and Down leads to the room above and below, with Shift to the next that has unread messages. */
export function followRoomKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { altKey, ctrlKey, metaKey, shiftKey, key } = event
    if (!altKey || ctrlKey || metaKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return
    const links = [...(sidebar()?.querySelectorAll<HTMLAnchorElement>('a[href^="/rooms/"]') ?? [])]
    const next = nextOf(links, key === 'ArrowDown' ? 1 : -1, shiftKey)
    if (!next) return
    event.preventDefault()
    location.assign(next.href)
  })
}

function nextOf(
  links: readonly HTMLAnchorElement[],
  step: 1 | -1,
  unreadOnly: boolean,
): HTMLAnchorElement | undefined {
  const current = links.findIndex((link) => link.ariaCurrent === 'page')
  const start = current === -1 && step === -1 ? 0 : current
  for (let n = 1; n <= links.length; n++) {
    const link = links[(start + step * n + links.length * 2) % links.length]!
    if (link.ariaCurrent !== 'page' && (!unreadOnly || link.querySelector('.count'))) return link
  }
  return undefined
}
