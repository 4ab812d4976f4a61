import { call, errorText } from '../api.ts'
import { createButton } from '../button.ts'
import { showError } from '../feedback.ts'
import { refresh } from '../live.ts'
import { displayText, offerMentions, storedText } from '../mentions.ts'
import { showUnreached, unreachedIn, warnOfUnreached } from '../unreached.ts'
import { autoGrow, isSendKey } from './field.ts'
import { UnsentText } from './unsent-text.ts'

export function restoreEdits(room: HTMLElement): void {
  for (const button of room.querySelectorAll<HTMLButtonElement>('button[data-edit]')) {
    if (unsentTextOf(button).text !== '') open(button)
  }
}

export function startEdit(button: HTMLButtonElement): void {
  const field = open(button)
  if (!field) return
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  field.form?.scrollIntoView({ block: 'nearest' })
}

export function startEditOfLast(list: Element): void {
  const button = [...list.querySelectorAll<HTMLButtonElement>('button[data-edit]')].at(-1)
  if (button) startEdit(button)
}

const unsentTextOf = ({ dataset }: HTMLButtonElement) => new UnsentText(`edit ${dataset.edit}`)

/** Returns the field; null if the message is already being edited. */
function open(button: HTMLButtonElement): HTMLTextAreaElement | null {
  const message = button.closest<HTMLElement>('.message')!
  const { edit: path = '', stored = '' } = button.dataset
  if (message.querySelector('form.edit')) return null
  const unsentText = unsentTextOf(button)
  const form = document.createElement('form')
  form.className = 'edit'
  form.dataset.keep = ''
  const field = document.createElement('textarea')
  field.ariaLabel = 'Your message'
  field.dir = 'auto'
  field.dataset.mentions = document.querySelector<HTMLElement>('[data-here]')?.dataset.here ?? ''
  const displayed = displayText(field, stored)
  field.value = unsentText.text || displayed
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  const save = document.createElement('button')
  save.className = 'small'
  save.textContent = 'Save'
  const cancel = createButton('Cancel', 'second small')
  buttons.append(save, cancel)
  form.append(field, buttons)
  message.querySelector('.text')!.after(form)
  field.dataset.unreached = `room:${field.dataset.mentions}`
  offerMentions(field)
  warnOfUnreached(field)
  autoGrow(field)

  const close = () => {
    unsentText.text = ''
    form.remove()
    message.querySelector<HTMLElement>('.actions summary')?.focus()
  }
  const submit = async () => {
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    try {
      const response = await call('PUT', path, { json: { body: await storedText(field) } })
      close()
      await refresh()
      showUnreached(message, unreachedIn(response))
    } catch (error) {
      showError(form, errorText(error))
    } finally {
      form.ariaBusy = null
    }
  }
  cancel.addEventListener('click', close)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  field.addEventListener('input', () => {
    unsentText.text = field.value === displayed ? '' : field.value
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      close()
    } else if (isSendKey(event)) {
      event.preventDefault()
      void submit()
    }
  })
  return field
}
