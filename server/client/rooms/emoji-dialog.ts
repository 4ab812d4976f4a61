import { dialogButton } from '../dialog-button.ts'
import { findEmoji } from './emoji.ts'

const maxShown = 40

/** Resolves with null if none was chosen. */
export function chooseEmoji(): Promise<string | null> {
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
    const found = findEmoji(field.value.trim()).slice(0, maxShown)
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
