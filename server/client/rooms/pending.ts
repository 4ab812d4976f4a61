import { createButton } from '../button.ts'
import { restoreUnsent } from './composer.ts'
import { type UnsentMessage, unsentMessages } from './unsent-messages.ts'

/** Shows unsent messages below the others. A sent one stays until the page shows the stored message. */
export class PendingMessages {
  private readonly path: string
  /** Sent but not on the page yet, by message id. */
  private readonly sent = new Map<string, UnsentMessage>()

  constructor(path: string) {
    this.path = path
    unsentMessages.onChange(() => this.show())
    unsentMessages.onSent((message, { json }) => {
      if (message.path === path && typeof json.messageId === 'string') this.sent.set(json.messageId, message)
    })
    this.show()
  }

  /** To be called whenever messages were added to the page. */
  show(): void {
    for (const id of this.sent.keys()) if (document.getElementById(id)) this.sent.delete(id)
    this.showIn(document.getElementById('pending'), undefined)
    for (const container of document.querySelectorAll<HTMLElement>('[data-pending]'))
      this.showIn(container, container.dataset.pending)
  }

  /** Drops sent messages that will not appear, such as in a range that is not shown. */
  forgetSent(): void {
    this.sent.clear()
    this.show()
  }

  private showIn(container: HTMLElement | null, threadId: string | undefined): void {
    if (!container) return
    const unsent = [...this.sent.values(), ...unsentMessages.all].filter(
      (message) => message.path === this.path && displayThreadOf(message) === threadId,
    )
    const unique = [...new Map(unsent.map((message) => [message.key, message])).values()]
    const obsolete = new Map([...container.children].map((element) => [element.id, element]))
    for (const message of unique) {
      const id = `unsent-${message.key}`
      const element = obsolete.get(id) ?? newElement(id, message.text)
      obsolete.delete(id)
      if (!element.isConnected) container.append(element)
      showState(element as HTMLElement, message)
    }
    for (const element of obsolete.values()) element.remove()
  }
}

/** A refused reply is shown in the room if its thread is not open. */
const displayThreadOf = ({ threadId, problem }: UnsentMessage): string | undefined =>
  problem !== undefined && !document.querySelector(`[data-pending="${threadId}"]`) ? undefined : threadId

function newElement(id: string, content: string): HTMLElement {
  const element = document.createElement('div')
  element.id = id
  element.className = 'message unsent'
  element.role = 'group'
  const header = document.createElement('header')
  const author = document.createElement('span')
  author.className = 'by'
  author.textContent = document.querySelector('.bar .me')?.textContent ?? ''
  const state = document.createElement('span')
  state.className = 'at state'
  header.append(author, state)
  const text = document.createElement('div')
  text.className = 'text prose'
  text.dir = 'auto'
  text.textContent = content
  element.append(header, text)
  return element
}

function showState(element: HTMLElement, message: UnsentMessage): void {
  const { problem } = message
  const progress = unsentMessages.isWaiting ? 'Waiting for a connection' : 'Sending…'
  const shownState = problem === undefined ? progress : ''
  const state = element.querySelector('.state')!
  if (state.textContent !== shownState) state.textContent = shownState
  element.ariaLabel = shownState || 'Not sent'
  element.classList.toggle('failed', problem !== undefined)
  const existing = element.querySelector('.unsent-problem')
  if (problem === undefined) existing?.remove()
  else if (!existing) element.append(problemOf(message, problem))
}

function problemOf(message: UnsentMessage, problem: string): HTMLElement {
  const element = document.createElement('div')
  element.className = 'unsent-problem'
  const paragraph = document.createElement('p')
  paragraph.role = 'alert'
  paragraph.textContent = `Not sent. ${problem}`
  const buttons = document.createElement('p')
  buttons.className = 'buttons'
  buttons.append(
    createButton('Retry', 'second small', () => unsentMessages.retry(message)),
    createButton('Edit', 'second small', () => {
      unsentMessages.discard(message)
      restoreUnsent(message)
    }),
    createButton('Delete', 'second small', () => unsentMessages.discard(message)),
  )
  element.append(paragraph, buttons)
  return element
}
