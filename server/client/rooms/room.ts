import { showToast } from '../feedback.ts'
import {
  type LiveEvent,
  onBeforeMorph,
  onEvents,
  onRender,
  refresh,
  setFetchUrl,
  setPartialUpdate,
} from '../live.ts'
import { RoomChanges } from './changes.ts'
import { enableComposer } from './composer.ts'
import { insertDayDividers } from './days.ts'
import { restoreEdits, startEdit, startEditOfLast } from './editing.ts'
import { isTouchScreen } from './field.ts'
import { keepAboveKeyboard } from './keyboard.ts'
import { handleMessageActions } from './message-actions.ts'
import { MessageList } from './message-list.ts'
import { followConnection, showConnection } from './offline.ts'
import { PendingMessages } from './pending.ts'
import { openPicturesOnThePage } from './pictures.ts'
import { ReadMarkers } from './read-markers.ts'
import { followThreads, openThread } from './threads.ts'
import { unsentMessages } from './unsent-messages.ts'

/** With more messages on the page, the earliest are dropped while the reader is at the end. */
const maxShown = 150

/** Own messages appear when their request is answered, or after this time. */
const maxSendWaitMs = 1000

export function startRoom(element: HTMLElement): void {
  new Room(element).start()
}

class Room {
  private readonly element: HTMLElement
  private readonly id: string
  private readonly messages = new MessageList()
  private readonly changes = new RoomChanges(this.messages)
  private readonly pending: PendingMessages
  private readonly markers: ReadMarkers
  private readonly newestButton: HTMLButtonElement
  private first = this.messages.first
  /** The message below the line of new messages; `none`: no line; null: the first unread one. */
  private newLineBefore = newLine()?.dataset.before ?? null
  private isAtEnd = false
  private isReturning = false
  private isLoading = false
  /** Whether to scroll to the newest message once it is shown. */
  private jumpsToEnd = false

  constructor(element: HTMLElement) {
    this.element = element
    this.id = element.dataset.here ?? ''
    this.markers = new ReadMarkers(this.id)
    this.pending = new PendingMessages(`/api/rooms/${this.id}/messages`)
    this.newestButton = element.querySelector<HTMLButtonElement>('.newest')!
  }

  start(): void {
    setFetchUrl(() => this.fetchUrl())
    setPartialUpdate((events, _, sequence) => this.update(events, sequence))
    onBeforeMorph(insertDayDividers)
    onRender((within) => this.handleRender(within))
    onEvents((events) => this.announce(events))
    this.listen()
    openPicturesOnThePage(this.element)
    followThreads(this.element, () => this.element.dataset.path ?? '')
    history.scrollRestoration = 'manual'
    insertDayDividers(document)
    restoreEdits(this.element)
    this.scrollToStart()
    this.focus()
    this.handleScroll()
    void unsentMessages.deliver()
  }

  private listen(): void {
    addEventListener('scroll', () => this.handleScroll(), { passive: true })
    addEventListener('resize', () => {
      if (this.isAtEnd) this.scrollToEnd()
    })
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.handleHidden()
      this.handleScroll()
    })
    this.newestButton.addEventListener('click', () => void this.goToNewest())
    this.element.addEventListener('click', (event) => this.handleClick(event))
    handleMessageActions(this.element, this.id, { onUnread: (id) => void this.showUnread(id) })
    document.addEventListener('keydown', (event) => this.handleKey(event))
    followConnection()
    unsentMessages.onSent(({ roomId }) => {
      if (roomId === this.id) void this.showSent()
    })
    keepAboveKeyboard(() => {
      if (this.isAtEnd) this.scrollToEnd()
    })
  }

  /** Focuses the composer, but on touch screens and for links to a message, the messages. */
  private focus(): void {
    if (document.activeElement !== document.body) return
    const field = document.querySelector<HTMLElement>(openThread() === null ? '#message' : '.thread textarea')
    const talk = this.element.querySelector<HTMLElement>('.talk')
    const focusesMessages = isTouchScreen() || location.hash !== ''
    ;(focusesMessages ? talk : field)?.focus({ preventScroll: true })
  }

  /** Returns false if the whole page must be fetched. */
  private async update(events: LiveEvent[], sequence: number): Promise<boolean> {
    const ids = events
      .filter(
        ({ type, roomId, threadId }) => type === 'message' && roomId === this.id && threadId === undefined,
      )
      .map(({ messageId }) => String(messageId))
    const isShown = () =>
      !this.messages.includesNewest || ids.every((id) => document.getElementById(id) !== null)
    if (this.changes.hasShown(sequence) && isShown()) return true
    return (await this.showChanges()) && isShown()
  }

  private async showChanges(): Promise<boolean> {
    if (this.isAtEnd && this.messages.count > maxShown) return false
    const newLineBefore = newLine()?.dataset.before
    const isShown = await this.changes.update(this.fetchUrl(), waitForSending)
    // The message below the line may have been deleted.
    if (newLineBefore === this.newLineBefore) this.newLineBefore = newLine()?.dataset.before ?? null
    if (isShown) this.revealNewLine()
    return isShown
  }

  private async showSent(): Promise<void> {
    if (!(await this.showChanges().catch(() => false))) await refresh()
    this.pending.forgetSent()
  }

  /** By the room's id, which survives renaming, with the range that is shown. */
  private fetchUrl(): string {
    const query = new URLSearchParams()
    if (this.isAtEnd && this.messages.count > maxShown) this.first = null
    if (this.first !== null) query.set('from', this.first)
    const line = this.newLineBefore ?? (this.isReading && !this.isReturning ? 'none' : null)
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

  /** Marks messages as read, and loads earlier ones when their link becomes visible. */
  private handleScroll(): void {
    this.markers.markThread(document.querySelector<HTMLElement>('.thread')?.dataset.last ?? null)
    if (!this.messages.isDisplayed) return
    this.isAtEnd = this.messages.isScrolledToEnd
    this.newestButton.hidden = this.isAtEnd
    if (this.isReading) this.markers.markRoom(this.messages.last)
    const { earlierInView } = this.messages
    if (earlierInView && !this.isLoading) void this.load(earlierInView)
  }

  private async load(link: HTMLAnchorElement): Promise<void> {
    this.isLoading = true
    this.first = link.dataset.from ?? this.first
    await refresh()
    this.isLoading = false
  }

  private handleRender(within: ParentNode): void {
    const wasAtEnd = this.isAtEnd
    this.first ??= this.messages.first
    this.newLineBefore ??= newLine()?.dataset.before ?? null
    for (const form of this.element.querySelectorAll<HTMLFormElement>('form[data-composer]')) {
      enableComposer(form, {
        roomId: this.id,
        onSend: () => this.send(form),
        onEditLast: () => startEditOfLast(form.closest('.thread') ?? this.messages.element),
      })
    }
    if (within === this.messages.element && this.changes.noteFullPage()) void this.showChanges()
    this.pending.show()
    showConnection()
    this.followName()
    // After updates have restored the scroll position, in the same turn.
    queueMicrotask(() => {
      if ((wasAtEnd || this.jumpsToEnd) && this.messages.includesNewest) this.scrollToEnd()
      if (within === this.messages.element) this.revealNewLine()
      this.handleScroll()
    })
  }

  private revealNewLine(): void {
    this.jumpsToEnd = false
    const line = newLine()
    if (this.isReturning && line && line.getBoundingClientRect().top < 0)
      line.scrollIntoView({ block: 'start' })
    this.isReturning = false
  }

  private send(form: HTMLFormElement): void {
    const replies = form.closest('.thread')?.querySelector('.thread-messages')
    if (replies) {
      replies.scrollTop = replies.scrollHeight
      return
    }
    this.removeLine()
    this.scrollToEnd()
    if (this.messages.includesNewest) return
    this.first = null
    this.jumpsToEnd = true
    void refresh()
  }

  private removeLine(): void {
    this.newLineBefore = 'none'
    newLine()?.remove()
  }

  private followName(): void {
    const path = document.getElementById('room-head')?.dataset.path
    if (path === undefined || decodeURI(path) === decodeURI(location.pathname)) return
    this.element.dataset.path = path
    history.replaceState(history.state, '', path + location.search + location.hash)
  }

  private handleKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
    // Other fields handle Escape themselves.
    if ((event.target as Element).closest('input, select')) return
    if (openThread() !== null || document.querySelector('dialog[open], .edit, [popover]:popover-open')) return
    event.preventDefault()
    void this.markAllRead()
  }

  private async markAllRead(): Promise<void> {
    await this.goToNewest()
    this.removeLine()
    this.markers.resume()
    this.markers.markRoom(this.messages.last)
    showToast('Marked as read.')
  }

  private async showUnread(messageId: string): Promise<void> {
    this.markers.pause()
    this.newLineBefore = messageId
    await refresh()
    showToast('Marked as unread.')
  }

  private async goToNewest(): Promise<void> {
    if (this.messages.includesNewest) return this.scrollToEnd()
    this.first = null
    this.jumpsToEnd = true
    await refresh()
  }

  private announce(events: LiveEvent[]): void {
    const reader = document.querySelector('.bar .me')?.textContent
    const newMessages = events.filter(
      ({ type, roomId, author }) => type === 'message' && roomId === this.id && author !== reader,
    )
    if (newMessages.length === 0) return
    document.getElementById('message-announcement')!.textContent = newMessages
      .map(({ author, preview }) => `${author}: ${preview}`)
      .join('\n')
  }

  /** When the page is hidden: the line will be above messages that arrive meanwhile. */
  private handleHidden(): void {
    this.markers.resume()
    this.isReturning = true
    if (this.messages.last === this.markers.last) this.newLineBefore = null
  }

  private handleClick(event: MouseEvent): void {
    const target = event.target as Element
    const button = target.closest<HTMLButtonElement>('button[data-edit]')
    const link = target.closest<HTMLAnchorElement>('#messages .more a')
    if (button) startEdit(button)
    if (!link || (link.className !== 'earlier' && link.className !== 'later')) return
    event.preventDefault()
    void this.load(link)
  }

  /** Scrolls to the message in the URL, else to the first unread one, else to the end. */
  private scrollToStart(): void {
    const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
    const element = target ?? newLine()
    if (element) element.scrollIntoView({ block: target ? 'center' : 'start' })
    else this.scrollToEnd()
  }

  private scrollToEnd(): void {
    this.messages.scrollToEnd()
    this.isAtEnd = this.messages.isScrolledToEnd
  }
}

const waitForSending = () =>
  Promise.race([
    unsentMessages.whenIdle(),
    new Promise<void>((resolve) => setTimeout(resolve, maxSendWaitMs)),
  ]).then(() => false)

const newLine = () => document.getElementById('new-line')
