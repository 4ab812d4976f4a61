import { isTextInput } from './text-input.ts'

const keys: [string, string][] = [
  ['/ or Ctrl K', 'Search, or go to a recent page'],
  ['?', 'Show keyboard shortcuts'],
  ['Enter', 'Send a message'],
  ['Shift Enter', 'A new line in a message'],
  ['Up', 'Edit your last message, if the field is empty'],
  ['Escape', 'Mark the room as read'],
  ['Alt Up, Alt Down', 'The previous or next room; with Shift, the next unread one'],
  ['Ctrl S', 'Save your changes'],
  ['Ctrl B, Ctrl I, Ctrl K', 'Bold, italic or a link, in the editor'],
  ['Space, arrows, Space', 'Pick up, move and drop a card on the board'],
  ['Ctrl Z', 'Undo moving, deleting or archiving'],
  ['Escape', 'Close or cancel'],
]

export function showKeyboardHelp(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== '?' || event.defaultPrevented || isTextInput(event.target)) return
    if (document.querySelector('dialog[open]')) return
    event.preventDefault()
    show()
  })
}

function show(): void {
  const dialog = document.createElement('dialog')
  const title = document.createElement('h2')
  title.textContent = 'Keyboard shortcuts'
  title.id = 'keys-help'
  dialog.setAttribute('aria-labelledby', title.id)
  const list = document.createElement('dl')
  list.className = 'details'
  for (const [key, does] of keys) {
    const term = document.createElement('dt')
    const kbd = document.createElement('kbd')
    kbd.textContent = key
    term.append(kbd)
    const description = document.createElement('dd')
    description.textContent = does
    list.append(term, description)
  }
  const form = document.createElement('form')
  form.method = 'dialog'
  const close = document.createElement('button')
  close.textContent = 'Close'
  close.className = 'second'
  form.append(close)
  dialog.append(title, list, form)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
