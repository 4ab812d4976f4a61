import { ApiError, call, errorText } from '../api.ts'
import { onRender, refresh } from '../live.ts'
import { showError } from '../problem.ts'
import { showToast } from '../toast.ts'

/** The form for a project's goal. A newer goal is shown before it is overwritten. */
export function start(section: HTMLElement): void {
  const form = section.querySelector<HTMLFormElement>('#goal-form')
  const text = form?.elements.namedItem('goal') as HTMLTextAreaElement | undefined
  if (!form || !text) return
  // The current value may have changed before this script was loaded.
  let kept = text.defaultValue
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void keep()
  })
  // Until someone types in it, the form follows the saved goal.
  onRender(() => {
    const { revision, source } = document.getElementById('goal')?.dataset ?? {}
    if (revision === undefined || source === undefined || text.value !== kept) return
    form.dataset.revision = revision
    text.value = source
    kept = text.value
  })

  const keep = async () => {
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    const { path, revision } = form.dataset
    const written = text.value
    try {
      const headers = { 'Content-Type': 'text/markdown; charset=utf-8', 'If-Match': `"${revision}"` }
      const answer = await call('PUT', path!, { body: written, headers })
      form.dataset.revision = answer.headers.get('X-Service-Revision') ?? revision
      kept = written
      showError(form, null)
      const details = form.closest('details')
      if (details) details.open = false
      showToast('Goal saved.')
    } catch (error) {
      showError(form, wordsFor(error, form))
    } finally {
      form.ariaBusy = null
      await refresh()
    }
  }
}

function wordsFor(error: unknown, form: HTMLFormElement): string {
  const current = error instanceof ApiError ? error.answer.currentRevision : undefined
  if (typeof current !== 'string') return errorText(error)
  form.dataset.revision = current
  return 'Someone else has changed the goal; it is shown above. Save again to replace it.'
}
