import { append, fetchPage, morph, restorePositions } from '../live.ts'
import { insertDayDividers } from './days.ts'
import type { MessageList } from './message-list.ts'

/** Fetches what changed in a room since the page was made, and shows each message where it belongs. */
export class RoomChanges {
  private readonly messages: MessageList
  /** Up to where the page shows what happened, as the server counts. */
  private shownSequence = 0
  private last: Promise<unknown> = Promise.resolve()

  constructor(messages: MessageList) {
    this.messages = messages
  }

  hasShown(sequence: number): boolean {
    return sequence <= this.sequence
  }

  /**
   * To be called when the whole page was shown. @returns whether it was made before changes that were shown already, and
   * that it has taken away
   */
  wholeShown(): boolean {
    const touched = Number(document.body.dataset.touched)
    const isOlder = touched < this.shownSequence
    this.shownSequence = touched
    return isOlder
  }

  /** The whole page may have been fetched since. */
  private get sequence(): number {
    return Math.max(this.shownSequence, Number(document.body.dataset.touched))
  }

  /** @param address of the page as it is shown @returns false if the whole page is to be fetched */
  update(address: string, beforeShowing: () => Promise<void>): Promise<boolean> {
    const updated = this.last.then(() => this.fetchAndShow(address, beforeShowing))
    this.last = updated.catch(() => {})
    return updated
  }

  private async fetchAndShow(address: string, beforeShowing: () => Promise<void>): Promise<boolean> {
    const answer = await fetchPage(`${address}&part=changes&since=${this.sequence}`)
    const changes = answer?.fetched.getElementById('changes')
    if (!answer || answer.isGone || !changes || changes.dataset.whole !== undefined) return false
    await beforeShowing()
    // The whole page was shown meanwhile, as it was later.
    if (Number(changes.dataset.sequence) < this.sequence) return true
    const restore = restorePositions()
    for (const id of ['room-head', 'typing']) {
      const [shown, next] = [document.getElementById(id), answer.fetched.getElementById(id)]
      if (shown && next) morph(shown, next)
    }
    const isWhole =
      this.showInRoom(changes) && this.showInThread(answer.fetched.getElementById('thread-changes'))
    restore()
    if (isWhole) this.shownSequence = Number(changes.dataset.sequence)
    return isWhole
  }

  private showInRoom(changes: HTMLElement): boolean {
    const { element } = this.messages
    const line = changes.querySelector<HTMLElement>('#new-line')
    const shownLine = document.getElementById('new-line')
    for (const id of removedIn(changes)) {
      if (shownLine?.dataset.before === id || !remove(element, id)) return false
    }
    if (line && shownLine && line.dataset.before !== shownLine.dataset.before) shownLine.remove()
    for (const message of changes.querySelectorAll<HTMLElement>(':scope > .message')) {
      const isNew = showMessage(element, message, this.messages.includesNewest)
      if (isNew && message.previousElementSibling === line && line && !document.getElementById('new-line'))
        element.insertBefore(document.importNode(line, true), document.getElementById(message.id))
    }
    const shown = element.querySelectorAll<HTMLElement>(':scope > .message')
    if (shown.length === 0) return false
    document.getElementById('nothing-said')?.remove()
    element.dataset.first = shown[0]!.id
    element.dataset.last = shown[shown.length - 1]!.id
    insertDayDividers(document)
    return true
  }

  private showInThread(changes: HTMLElement | null): boolean {
    const thread = document.querySelector<HTMLElement>('.thread')
    const replies = document.getElementById('replies')
    if (!changes || !thread || !replies) return changes === null && thread === null
    for (const id of removedIn(changes)) if (!remove(replies, id)) return false
    const includesNewest = thread.querySelector('.later') === null
    for (const message of changes.querySelectorAll<HTMLElement>(':scope > .message')) {
      const root = message.id.startsWith('root-') ? document.getElementById(message.id) : null
      if (root) morph(root, message)
      else showMessage(replies, message, includesNewest)
    }
    const last = replies.querySelector<HTMLElement>(':scope > .message:last-of-type')
    if (last) thread.dataset.last = last.id
    return true
  }
}

const removedIn = ({ dataset }: HTMLElement): string[] =>
  (dataset.removed ?? '').split(' ').filter((id) => id !== '')

/** @returns false if more than the message would change */
function remove(list: HTMLElement, id: string): boolean {
  const message = document.getElementById(id)
  // It is being edited: its author sees what became of it when the page is made anew.
  if (message?.querySelector('form.edit')) return false
  if (message && list.contains(message)) message.remove()
  return true
}

/** @returns whether it was not shown before */
function showMessage(list: HTMLElement, message: HTMLElement, includesNewest: boolean): boolean {
  const shown = document.getElementById(message.id)
  if (shown) {
    morph(shown, message)
    return false
  }
  if (!includesNewest) return false
  append(list, message)
  return true
}
