import { onRender, refresh } from '../live.ts'
import { isTouchScreen } from './field.ts'

export const openThread = (): string | null => new URLSearchParams(location.search).get('thread') || null

/** Opens and closes threads without leaving the page. @param path the current path of the room's page */
export function followThreads(room: HTMLElement, path: () => string): void {
  /** The room's scroll position, while a thread covers it on a phone. */
  let place: number | null = null
  let isAtEnd = true
  let shown = openThread()
  const list = () => document.getElementById('thread-messages')

  const show = async () => {
    const id = openThread()
    if (id === shown) return
    if (shown === null) place = scrollY
    const left = shown
    shown = id
    isAtEnd = true
    await refresh()
    if (id !== null) {
      if (!isTouchScreen())
        document.querySelector<HTMLElement>('.thread textarea')?.focus({ preventScroll: true })
    } else {
      if (place !== null) scrollTo({ top: place, behavior: 'instant' })
      document
        .querySelector<HTMLElement>(`[id="${left}"] :is(.thread-link a, .actions summary)`)
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

  const toEnd = () => {
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
    if (isAtEnd && !isAtReply) queueMicrotask(toEnd)
  })
}
