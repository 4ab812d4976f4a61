import { onRender } from './live.ts'
import { keyOf, StoredValue } from './stored-value.ts'

const sidebar = () => document.getElementById('navigation')

/** Keeps the scroll position from page to page, and the current page's link visible. */
export function keepSidebarPosition(): void {
  const element = sidebar()
  if (!element) return
  const stored = new StoredValue<number>(sessionStorage, keyOf('sidebar', 'top'))
  let top = stored.read() ?? 0
  const restore = () => {
    element.scrollTop = top
    showCurrent(element)
  }
  // Together with the page's own layout: a second one would take as long again.
  requestAnimationFrame(restore)
  element.addEventListener('scroll', () => {
    if (element.checkVisibility()) top = element.scrollTop
  })
  addEventListener('pagehide', () => stored.write(top))
  // On a phone it has no size until it is opened.
  element.addEventListener('toggle', restore)
}

function showCurrent(element: HTMLElement): void {
  const current = element.querySelector<HTMLElement>('a[aria-current]')
  if (!current || !element.checkVisibility()) return
  const [frame, item] = [element.getBoundingClientRect(), current.getBoundingClientRect()]
  if (item.top < frame.top) element.scrollTop -= frame.top - item.top
  else if (item.bottom > frame.bottom) element.scrollTop += item.bottom - frame.bottom
}

/** Alt+Up and Alt+Down switch rooms; with Shift, only to unread ones. */
export function handleRoomShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    const { altKey, ctrlKey, metaKey, shiftKey, key } = event
    if (!altKey || ctrlKey || metaKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return
    const links = [
      ...(sidebar()?.querySelectorAll<HTMLAnchorElement>('li:not([hidden]) > a[href^="/rooms/"]') ?? []),
    ]
    const next = findNext(links, key === 'ArrowDown' ? 1 : -1, shiftKey)
    if (!next) return
    event.preventDefault()
    location.assign(next.href)
  })
}

function findNext(
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

/** Enter opens the first match, Escape clears the filter. */
export function filterRooms(): void {
  onRender(showFiltered)
  document.addEventListener('input', ({ target }) => {
    if (target === filterField()) showFiltered()
  })
  document.addEventListener('keydown', (event) => {
    const field = filterField()
    if (!field || event.target !== field || event.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      if (field.value.trim() !== '') shownRooms()[0]?.click()
    }
    if (event.key === 'Escape' && field.value !== '') {
      event.preventDefault()
      event.stopPropagation()
      field.value = ''
      showFiltered()
    }
  })
}

const filterField = () => document.querySelector<HTMLInputElement>('#room-filter')

const shownRooms = () => [
  ...(sidebar()?.querySelectorAll<HTMLAnchorElement>('[data-rooms] > li:not([hidden]) > a') ?? []),
]

function showFiltered(): void {
  const query = (filterField()?.value ?? '').trim().toLocaleLowerCase()
  for (const list of sidebar()?.querySelectorAll<HTMLElement>('[data-rooms]') ?? []) {
    for (const item of list.querySelectorAll<HTMLElement>('li')) {
      const name = item.querySelector('bdi')?.textContent ?? ''
      item.hidden = !name.toLocaleLowerCase().includes(query)
    }
    const isEmpty = query !== '' && !list.querySelector('li:not([hidden])')
    list.hidden = isEmpty
    const heading = list.previousElementSibling
    if (heading instanceof HTMLElement) heading.hidden = isEmpty
  }
}

export function showUnreadInTitle(): void {
  onRender(() => {
    // An update sets the title last, in the same turn.
    queueMicrotask(() => {
      const unread = document.getElementById('navigation')?.dataset.unread ?? '0'
      const title = document.title.replace(/^\(\d+\) /, '')
      document.title = unread === '0' ? title : `(${unread}) ${title}`
      // Not supported by all browsers, and without effect if not installed.
      if ('setAppBadge' in navigator) void navigator.setAppBadge(Number(unread)).catch(() => {})
    })
  })
}
