import { insert, morph } from '../live.ts'
import { PageChanges, removedIn } from '../page-changes.ts'
import { insertDayDividers } from './days.ts'
import type { MessageList } from './message-list.ts'

export class RoomChanges extends PageChanges {
  constructor(private readonly messages: MessageList) {
    super()
  }

  protected show(fetched: Document, changes: HTMLElement): boolean {
    for (const id of ['room-head', 'typing']) {
      const [current, next] = [document.getElementById(id), fetched.getElementById(id)]
      if (current && next) morph(current, next)
    }
    return this.showInRoom(changes) && this.showInThread(fetched.getElementById('thread-changes'))
  }

  private showInRoom(changes: HTMLElement): boolean {
    const { element } = this.messages
    const line = changes.querySelector<HTMLElement>('#new-line')
    const shownLine = document.getElementById('new-line')
    for (const id of removedIn(changes)) {
      if (!remove(element, id)) return false
      if (shownLine?.dataset.before === id) moveToNext(shownLine)
    }
    if (line && shownLine && line.dataset.before !== shownLine.dataset.before) shownLine.remove()
    for (const message of changes.querySelectorAll<HTMLElement>(':scope > .message')) {
      const isNew = showMessage(element, message, this.messages.includesNewest)
      if (isNew && message.previousElementSibling === line && line && !document.getElementById('new-line'))
        element.insertBefore(document.importNode(line, true), document.getElementById(message.id))
    }
    const shownMessages = element.querySelectorAll<HTMLElement>(':scope > .message')
    if (shownMessages.length === 0) return false
    document.getElementById('nothing-said')?.remove()
    // The moved line separates the message below from its group.
    const below = document.getElementById('new-line')?.dataset.before
    if (below !== undefined) document.getElementById(below)?.classList.remove('follows')
    element.dataset.first = shownMessages[0]!.id
    element.dataset.last = shownMessages[shownMessages.length - 1]!.id
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

/** Moves the line of new messages after the message below it was deleted. */
function moveToNext(line: HTMLElement): void {
  let next = line.nextElementSibling
  while (next && !next.classList.contains('message')) next = next.nextElementSibling
  if (!next) {
    line.remove()
    return
  }
  line.dataset.before = next.id
  next.before(line)
}

/** Returns false if more than the message would change. */
function remove(list: HTMLElement, id: string): boolean {
  const message = document.getElementById(id)
  // Its author is editing it, and sees the result at the next full update.
  if (message?.querySelector('form.edit')) return false
  if (message && list.contains(message)) message.remove()
  return true
}

/** Returns whether the message was not shown before. */
function showMessage(list: HTMLElement, message: HTMLElement, includesNewest: boolean): boolean {
  const existing = document.getElementById(message.id)
  if (existing) {
    morph(existing, message)
    return false
  }
  if (!includesNewest) return false
  insert(list, message)
  return true
}
