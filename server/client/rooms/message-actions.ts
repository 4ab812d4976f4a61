import { call, errorText } from '../api.ts'
import { dialogButton } from '../dialogs.ts'
import { showToast } from '../feedback.ts'

const maxEmojiShown = 40

interface MessageActions {
  onUnread(messageId: string): void
}

export function handleMessageActions(room: HTMLElement, roomId: string, { onUnread }: MessageActions): void {
  room.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('.message button')
    if (!button) return
    const { quote, copyLink, unread, react } = button.dataset
    if (button.name === 'reaction') {
      event.preventDefault()
      void toggleReaction(roomId, button)
    }
    if (react !== undefined) void chooseReaction(roomId, react)
    if (quote !== undefined) insertQuote(button)
    if (copyLink !== undefined) void copy(new URL(copyLink, location.href).href)
    if (unread !== undefined) void markUnread(roomId, unread, () => onUnread(unread))
  })
}

async function toggleReaction(roomId: string, button: HTMLButtonElement): Promise<void> {
  const [messageId = '', emoji = ''] = button.value.split(' ')
  button.closest('details')?.removeAttribute('open')
  const isOwn = [...(button.closest('.message')?.querySelectorAll('.reactions button') ?? [])].some(
    (chip) => chip.getAttribute('value') === button.value && chip.ariaPressed === 'true',
  )
  await sendReaction(isOwn ? 'DELETE' : 'PUT', roomId, messageId, emoji)
}

async function chooseReaction(roomId: string, messageId: string): Promise<void> {
  const emoji = await chooseEmoji()
  if (emoji !== null) await sendReaction('PUT', roomId, messageId, emoji)
}

/** Resolves with null if none was chosen. */
async function chooseEmoji(): Promise<string | null> {
  const { findEmoji } = await import('./emoji.ts')
  const dialog = document.createElement('dialog')
  dialog.className = 'emoji-dialog'
  dialog.ariaLabel = 'React'
  const form = document.createElement('form')
  form.method = 'dialog'
  const label = document.createElement('label')
  label.textContent = 'Search emoji by name'
  const field = document.createElement('input')
  field.type = 'search'
  field.autocomplete = 'off'
  field.maxLength = 40
  label.append(field)
  const list = document.createElement('div')
  list.className = 'emoji-found'
  const cancel = dialogButton('Cancel', '', 'second')
  const show = () => {
    const found = findEmoji(field.value.trim()).slice(0, maxEmojiShown)
    list.replaceChildren(...found.map(({ label, text }) => dialogButton(label, text, 'quiet')))
  }
  field.addEventListener('input', show)
  form.append(label, list, cancel)
  dialog.append(form)
  document.body.append(dialog)
  show()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue || null)
    })
    dialog.showModal()
  })
}

async function sendReaction(
  method: 'PUT' | 'DELETE',
  roomId: string,
  messageId: string,
  emoji: string,
): Promise<void> {
  try {
    await call(method, `/api/rooms/${roomId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}`)
  } catch (error) {
    showToast(errorText(error))
  }
}

async function markUnread(roomId: string, messageId: string, done: () => void): Promise<void> {
  try {
    await call('PUT', `/api/rooms/${roomId}/unread`, { json: { messageId } })
    done()
  } catch (error) {
    showToast(errorText(error))
  }
}

async function copy(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link)
    showToast('Link copied.')
  } catch {
    // Browsers restrict the clipboard to https.
    prompt('Copy this link:', link)
  }
}

/** Quotes in the thread that shows the message, else in the room. */
function insertQuote(button: HTMLButtonElement): void {
  const message = button.closest<HTMLElement>('.message')!
  const within = button.closest('.thread') ?? document
  const field = within.querySelector<HTMLTextAreaElement>('form[data-composer] textarea')
  if (!field) return
  const link = message.querySelector<HTMLAnchorElement>('.at')?.getAttribute('href') ?? ''
  const author = message.querySelector('.by')?.textContent ?? ''
  const lines = message.querySelector<HTMLElement>('.text')?.innerText.trim().split('\n') ?? []
  const quote = [`[${author}](${link}) wrote:`, '', ...lines].map((line) => `> ${line}`.trimEnd()).join('\n')
  field.value = [field.value.trimEnd(), `${quote}\n\n`].filter((part) => part !== '').join('\n\n')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
}
