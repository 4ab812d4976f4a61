import { onRender, refresh } from '../live.ts'
import { isTouchScreen } from './field.ts'

export const openThread = (): string | null => new URLSearchParams(location.search).get('thread') || null

/** Opens and closes threads without leaving the page. @param path the current path of the room's page */
export function followThreads(room: HTMLElement, path: () => string): void {
  /** The room's scroll position, while a thread covers it on a phone. */
  let roomScrollY: number | null = null
  let isAtEnd = true
  let shownThread = openThread()
  const list = () => document.getElementById('thread-messages')

  const show = async () => {
    const id = openThread()
    if (id === shownThread) return
    if (shownThread === null) roomScrollY = scrollY
    const closedThread = shownThread
    shownThread = id
    isAtEnd = true
    await refresh()
    if (id !== null) {
      if (!isTouchScreen())
        document.querySelector<HTMLElement>('.thread textarea')?.focus({ preventScroll: true })
    } else {
      if (roomScrollY !== null) scrollTo({ top: roomScrollY, behavior: 'instant' })
      document
        .querySelector<HTMLElement>(`[id="${closedThread}"] :is(.thread-link a, .actions summary)`)
        ?.focus({ preventScroll: true })
    }
  }

  room.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-thread]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const { thread = '' } = link.dataset
    history.pushState(null, '', thread === '' ? path() : `${path()}?thread=${thread}`)
    void show()
  })
  room.addEventListener('keydown', (event) => {
    const isInThread = (event.target as Element).closest('.thread')
    if (event.key !== 'Escape' || !isInThread || event.defaultPrevented) return
    history.pushState(null, '', path())
    void show()
  })
  addEventListener('popstate', () => void show())

  const scrollToEnd = () => {
    const messages = list()
    if (messages) messages.scrollTop = messages.scrollHeight
  }
  room.addEventListener(
    'scroll',
    ({ target }) => {
      const messages = list()
      if (target === messages && messages)
        isAtEnd = messages.scrollTop + messages.clientHeight >= messages.scrollHeight - 40
    },
    { capture: true, passive: true },
  )
  const isAtReply =
    location.hash !== '' && list()?.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`)
  onRender(() => {
    if (isAtEnd && !isAtReply) queueMicrotask(scrollToEnd)
  })
}
