import { ApiError, call, errorText } from '../api.ts'
import { showError, showToast } from '../feedback.ts'
import { onRender, refresh } from '../live.ts'

export function start(): void {
  const form = document.querySelector<HTMLFormElement>('#goal-form')
  if (form) saveGoal(form)
}

/** The form for a project's goal. A newer goal is shown before it is overwritten. */
function saveGoal(form: HTMLFormElement): void {
  const text = form.elements.namedItem('goal') as HTMLTextAreaElement
  // The current value may have changed before this script was loaded.
  let savedText = text.defaultValue
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void save()
  })
  // Until someone types in it, the form follows the saved goal.
  onRender(() => {
    const { revision, source } = document.getElementById('goal')?.dataset ?? {}
    if (revision === undefined || source === undefined || text.value !== savedText) return
    form.dataset.revision = revision
    text.value = source
    savedText = text.value
  })

  const save = async () => {
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    const { path, revision } = form.dataset
    const submitted = text.value
    try {
      const headers = { 'Content-Type': 'text/markdown; charset=utf-8', 'If-Match': `"${revision}"` }
      const response = await call('PUT', path!, { body: submitted, headers })
      form.dataset.revision = response.headers.get('X-Service-Revision') ?? revision
      savedText = submitted
      showError(form, null)
      const details = form.closest('details')
      if (details) details.open = false
      showToast('Goal saved.')
    } catch (error) {
      showError(form, errorMessageFor(error, form))
    } finally {
      form.ariaBusy = null
      await refresh()
    }
  }
}

function errorMessageFor(error: unknown, form: HTMLFormElement): string {
  const current = error instanceof ApiError ? error.fields.currentRevision : undefined
  if (typeof current !== 'string') return errorText(error)
  form.dataset.revision = current
  return 'Someone else has changed the goal; it is shown above. Save again to replace it.'
}
