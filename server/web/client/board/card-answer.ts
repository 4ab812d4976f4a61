import { refresh } from '../live.ts'
import { showProblem } from '../problem.ts'
import { changeFields, moveTo, wordsFor } from './card-file.ts'

/** The form that answers a question: the answer is kept in the card, which then is done. */
export function answerQuestion(page: HTMLElement): void {
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
    form.dataset.path = await moveTo(path, '04-done')
    showProblem(form, null)
  } catch (error) {
    showProblem(form, wordsFor(error))
  } finally {
    form.ariaBusy = null
    await refresh()
  }
}
