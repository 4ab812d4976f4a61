import { type LiveEvent, onBeforeMorph, onEvents, onRender, refresh, setFetchUrl } from '../live.ts'
import { enableComposer } from './composer.ts'
import { insertDayDividers } from './days.ts'
import { restoreEdits, startEdit } from './editing.ts'
import { MessageList } from './message-list.ts'
import { ReadMarkers } from './read-markers.ts'
import { followThreads, openThread } from './threads.ts'

/** With more messages than this on the page, the earliest are dropped when its reader is at the end. */
const maxShown = 150

export function start(element: HTMLElement): void {
  new Room(element).start()
}

class Room {
  private readonly element: HTMLElement
  private readonly id: string
  private readonly messages = new MessageList()
  private readonly markers: ReadMarkers
  private readonly toNewest: HTMLButtonElement
  private first = this.messages.first
  /** The message above which the line of new messages is drawn; `none`: no line; null: above the first unread one. */
  private lineAbove = newLine()?.dataset.before ?? null
  private isAtEnd = false
  private isReturning = false
  private isLoading = false
  /** Whether the newest message is scrolled to once it is shown: its reader wrote it, or asked for it. */
  private jumpsToEnd = false

  constructor(element: HTMLElement) {
    this.element = element
    this.id = element.dataset.here ?? ''
    this.markers = new ReadMarkers(this.id)
    this.toNewest = element.querySelector<HTMLButtonElement>('.newest')!
  }

  start(): void {
    setFetchUrl(() => this.address())
    onBeforeMorph(insertDayDividers)
    onRender((within) => this.shown(within))
    onEvents((events) => this.announce(events))
    this.listen()
    followThreads(this.element, this.element.dataset.path ?? '')
    history.scrollRestoration = 'manual'
    insertDayDividers(document)
    restoreEdits(this.element)
    this.scrollToStart()
    this.look()
  }

  private listen(): void {
    addEventListener('scroll', () => this.look(), { passive: true })
    addEventListener('resize', () => {
      if (this.isAtEnd) this.scrollToEnd()
    })
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.left()
      this.look()
    })
    this.toNewest.addEventListener('click', () => void this.goToNewest())
    this.element.addEventListener('click', (event) => this.clicked(event))
  }

  /** Where the page is fetched: by the room's id, which stays when it is renamed, with what of it is shown. */
  private address(): string {
    const query = new URLSearchParams()
    if (this.isAtEnd && this.messages.count > maxShown) this.first = null
    if (this.first !== null) query.set('from', this.first)
    const line = this.lineAbove ?? (this.isReading && !this.isReturning ? 'none' : null)
    if (line !== null) query.set('new', line)
    const thread = openThread()
    if (thread !== null) {
      query.set('thread', thread)
      const first = document.querySelector<HTMLElement>(`#thread-${thread} .replies-list > .message`)
      if (first) query.set('replies', first.id)
    }
    return `/rooms/${this.id}?${query}`
  }

  private get isReading(): boolean {
    return this.isAtEnd && document.visibilityState === 'visible' && this.messages.isDisplayed
  }

  /** Marks what is read, and loads earlier messages where their link comes into view. */
  private look(): void {
    this.markers.markThread(document.querySelector<HTMLElement>('.thread')?.dataset.last ?? null)
    if (!this.messages.isDisplayed) return
    this.isAtEnd = this.messages.isScrolledToEnd
    this.toNewest.hidden = this.isAtEnd
    if (this.isReading) this.markers.markRoom(this.messages.last)
    const { earlierInView } = this.messages
    if (earlierInView && !this.isLoading) void this.load(earlierInView)
  }

  /** Shows the messages that a link leads to, without leaving the page. */
  private async load(link: HTMLAnchorElement): Promise<void> {
    this.isLoading = true
    this.first = link.dataset.from ?? this.first
    await refresh()
    this.isLoading = false
  }

  private shown(within: ParentNode): void {
    const wasAtEnd = this.isAtEnd
    this.first ??= this.messages.first
    this.lineAbove ??= newLine()?.dataset.before ?? null
    for (const form of this.element.querySelectorAll<HTMLFormElement>('form[data-composer]')) {
      enableComposer(form, () => this.sent(form.dataset.thread !== undefined))
    }
    // Updates put it in place first, in the same turn.
    queueMicrotask(() => {
      if ((wasAtEnd || this.jumpsToEnd) && this.messages.includesNewest) this.scrollToEnd()
      if (within === this.messages.element) this.arrived()
      this.look()
    })
  }

  private arrived(): void {
    this.jumpsToEnd = false
    const line = newLine()
    if (this.isReturning && line && line.getBoundingClientRect().top < 0)
      line.scrollIntoView({ block: 'start' })
    this.isReturning = false
  }

  private async sent(isInThread: boolean): Promise<void> {
    if (isInThread) return refresh()
    this.lineAbove = 'none'
    if (!this.messages.includesNewest) this.first = null
    this.jumpsToEnd = true
    await refresh()
  }

  private async goToNewest(): Promise<void> {
    if (this.messages.includesNewest) return this.scrollToEnd()
    this.first = null
    this.jumpsToEnd = true
    await refresh()
  }

  private announce(events: LiveEvent[]): void {
    const reader = document.querySelector('.bar .me')?.textContent
    const others = events.filter(
      ({ type, roomId, author }) => type === 'message' && roomId === this.id && author !== reader,
    )
    if (others.length === 0) return
    document.getElementById('heard')!.textContent = others
      .map(({ author, preview }) => `${author}: ${preview}`)
      .join('\n')
  }

  /** The page is hidden. Once it is back, the line is drawn above what was said meanwhile. */
  private left(): void {
    this.isReturning = true
    if (this.messages.last === this.markers.last) this.lineAbove = null
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as Element
    const button = target.closest<HTMLButtonElement>('button[data-edit]')
    const link = target.closest<HTMLAnchorElement>('#messages .more a')
    if (button) startEdit(button)
    if (!link || (link.className !== 'earlier' && link.className !== 'later')) return
    event.preventDefault()
    void this.load(link)
  }

  /** Scrolls to the message that the address names, else to the first unread one, else to the end. */
  private scrollToStart(): void {
    const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
    const place = target ?? newLine()
    if (place) place.scrollIntoView({ block: target ? 'center' : 'start' })
    else this.scrollToEnd()
  }

  private scrollToEnd(): void {
    this.messages.scrollToEnd()
    this.isAtEnd = this.messages.isScrolledToEnd
  }
}

const newLine = () => document.getElementById('new-line')
