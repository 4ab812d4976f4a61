import { editFields } from '../board/card-fields.ts'
import { changeFields, errorMessageFor, moveCard } from '../board/card-file.ts'
import { startDocument } from '../documents/document.ts'
import { showError } from '../feedback.ts'
import { refresh } from '../live.ts'

export function start(): void {
  const page = document.querySelector<HTMLElement>('.reading')!
  startDocument(page)
  editFields(page)
  answerQuestion(page)
}

function answerQuestion(page: HTMLElement): void {
  page.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (form.id !== 'answer-form') return
    event.preventDefault()
    void answer(form)
  })
}

async function answer(form: HTMLFormElement): Promise<void> {
  if (form.ariaBusy === 'true') return
  form.ariaBusy = 'true'
  const resolution = String(new FormData(form).get('resolution')).trim()
  try {
    const path = await changeFields(form.dataset.path!, () => ({ resolution }))
    form.dataset.path = await moveCard(path, '04-done')
    showError(form, null)
  } catch (error) {
    showError(form, errorMessageFor(error))
  } finally {
    form.ariaBusy = null
    await refresh()
  }
}
