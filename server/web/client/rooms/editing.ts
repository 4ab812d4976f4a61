import { call, inWords } from '../api.ts'
import { showProblem } from '../call.ts'
import { refresh } from '../live.ts'
import { offerMentions, spokenIn, storedFrom } from '../mentions.ts'
import { growing, sends } from './field.ts'

/** Turns a message into a form in which its author changes it, in its place. */
export function edit(button: HTMLButtonElement): void {
  const message = button.closest<HTMLElement>('.message')!
  const { edit: path = '', stored = '' } = button.dataset
  if (message.querySelector('form.edit')) return
  const form = document.createElement('form')
  form.className = 'edit'
  form.dataset.keep = ''
  const field = document.createElement('textarea')
  field.ariaLabel = 'Your message'
  field.dir = 'auto'
  field.dataset.mentions = document.querySelector<HTMLElement>('[data-here]')?.dataset.here ?? ''
  field.value = spokenIn(field, stored)
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  const save = document.createElement('button')
  save.className = 'small'
  save.textContent = 'Save'
  const cancel = document.createElement('button')
  cancel.type = 'button'
  cancel.className = 'second small'
  cancel.textContent = 'Cancel'
  buttons.append(save, cancel)
  form.append(field, buttons)
  message.querySelector('.text')!.after(form)
  offerMentions(field)
  growing(field)
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  form.scrollIntoView({ block: 'nearest' })

  const leave = () => {
    form.remove()
    message.querySelector<HTMLElement>('.actions summary')?.focus()
  }
  const submit = async () => {
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    try {
      await call('PUT', path, { json: { body: await storedFrom(field) } })
      leave()
      await refresh()
    } catch (error) {
      showProblem(form, inWords(error))
    } finally {
      form.ariaBusy = null
    }
  }
  cancel.addEventListener('click', leave)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') leave()
    else if (sends(event)) {
      event.preventDefault()
      void submit()
    }
  })
}
