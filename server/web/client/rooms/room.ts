import { call } from '../api.ts'
import { fetchAs, onFetched, onNews, onShown, refresh } from '../live.ts'
import { compose } from './composer.ts'
import { divideByDay } from './days.ts'
import { edit, editOn } from './editing.ts'
import { followThreads, openThread } from './threads.ts'

/** So near to the end counts as being there, in pixels. */
const nearPx = 80
/** With more messages than this on the page, those at its top go when its reader is at its end. */
const mostShown = 150

/** A room that is open before its reader: it follows what is said, and holds what is read in its place. */
export function start(room: HTMLElement): void {
  const { here: roomId = '', path = '' } = room.dataset
  const reader = document.querySelector('.bar .me')?.textContent
  const messages = () => document.getElementById('messages')!
  const newest = room.querySelector<HTMLButtonElement>('.newest')!
  const heard = document.getElementById('heard')!
  const newLine = () => document.getElementById('new-line')

  /** The first message of those that are shown; null: as many as the server shows by itself. */
  let from = messages().dataset.first ?? null
  /** Above which message the line stands; `none`: nowhere; null: above what has not been read. */
  let line: string | null = newLine()?.dataset.before ?? null
  /** The last message that was said to be read. */
  let read: string | null = null
  let threadRead: string | null = null
  /** By where the reader was, before anything was shown anew. */
  let isAtEnd = false
  /** The page was out of sight, and has not been shown anew since. */
  let isBack = false
  let isLoading = false
  /** Whoever has said something, or asks for the newest, is shown it next. */
  let isGoingToEnd = false

  const isShowingEnd = () => messages().dataset.later === undefined
  const isNearEnd = () =>
    isShowingEnd() && scrollY + innerHeight >= document.documentElement.scrollHeight - nearPx
  const toEnd = () => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
    isAtEnd = isNearEnd()
  }
  /** On a phone a thread stands in its place. */
  const isInSight = () => document.visibilityState === 'visible' && messages().checkVisibility()
  const isReading = () => isAtEnd && isInSight()

  fetchAs(() => {
    const query = new URLSearchParams()
    if (isAtEnd && messages().querySelectorAll(':scope > .message').length > mostShown) from = null
    if (from !== null) query.set('from', from)
    const held = line ?? (isReading() && !isBack ? 'none' : null)
    if (held !== null) query.set('new', held)
    const thread = openThread()
    if (thread !== null) {
      query.set('thread', thread)
      const first = document.querySelector<HTMLElement>(`#thread-${thread} .replies-list > .message`)
      if (first) query.set('replies', first.id)
    }
    // By its id, which stays when it is renamed.
    return `/rooms/${roomId}?${query}`
  })
  onFetched(divideByDay)

  const markRead = (last: string | undefined, before: string | null): string | null => {
    if (last === undefined || last === before || document.visibilityState !== 'visible') return before
    call('PUT', `/api/rooms/${roomId}/read`, { json: { messageId: last } }).catch(() => {})
    return last
  }
  const look = () => {
    threadRead = markRead(document.querySelector<HTMLElement>('.thread')?.dataset.last, threadRead)
    if (!messages().checkVisibility()) return
    isAtEnd = isNearEnd()
    newest.hidden = isAtEnd
    if (isReading()) read = markRead(messages().dataset.last, read)
    const earlier = messages().querySelector<HTMLAnchorElement>('.earlier')
    if (earlier && !isLoading && earlier.getBoundingClientRect().bottom > 0) void show(earlier)
  }
  /** What came before or behind, without leaving the page. */
  const show = async (link: HTMLAnchorElement) => {
    isLoading = true
    from = link.dataset.from ?? from
    await refresh()
    isLoading = false
  }

  onShown((within) => {
    const wasAtEnd = isAtEnd
    from ??= messages().dataset.first ?? null
    line ??= newLine()?.dataset.before ?? null
    for (const form of room.querySelectorAll<HTMLFormElement>('form[data-composer]')) {
      compose(form, () => sent(form.dataset.thread !== undefined))
    }
    // What is shown anew is put in its place first, in the same turn.
    queueMicrotask(() => {
      if ((wasAtEnd || isGoingToEnd) && isShowingEnd()) toEnd()
      if (within === messages()) {
        isGoingToEnd = false
        if (isBack && hasLeftSight(newLine())) newLine()!.scrollIntoView({ block: 'start' })
        isBack = false
      }
      look()
    })
  })
  const sent = async (isInThread: boolean) => {
    if (isInThread) return refresh()
    line = 'none'
    if (!isShowingEnd()) from = null
    isGoingToEnd = true
    await refresh()
  }

  onNews((events) => {
    const said = events.filter((event) => event.type === 'message' && event.roomId === roomId)
    const others = said.filter((event) => event.author !== reader)
    if (others.length > 0)
      heard.textContent = others.map(({ author, preview }) => `${author}: ${preview}`).join('\n')
  })

  addEventListener('scroll', look, { passive: true })
  addEventListener('resize', () => {
    if (isAtEnd) toEnd()
  })
  document.addEventListener('visibilitychange', () => {
    // Whoever comes back finds the line above what was said meanwhile.
    if (document.visibilityState === 'hidden') {
      isBack = true
      if (messages().dataset.last === read) line = null
    }
    look()
  })
  newest.addEventListener('click', async () => {
    if (isShowingEnd()) return toEnd()
    from = null
    isGoingToEnd = true
    await refresh()
  })
  room.addEventListener('click', (event) => {
    const target = event.target as Element
    const button = target.closest<HTMLButtonElement>('button[data-edit]')
    const link = target.closest<HTMLAnchorElement>('#messages .more a')
    if (button) edit(button)
    if (!link || (link.className !== 'earlier' && link.className !== 'later')) return
    event.preventDefault()
    void show(link)
  })
  followThreads(room, path)

  history.scrollRestoration = 'manual'
  divideByDay(document)
  editOn(room)
  const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  const place = target ?? newLine()
  if (place) place.scrollIntoView({ block: target ? 'center' : 'start' })
  else toEnd()
  look()
}

const hasLeftSight = (element: HTMLElement | null) =>
  element !== null && element.getBoundingClientRect().top < 0
