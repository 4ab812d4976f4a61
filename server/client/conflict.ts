import type { ApiError } from './api.ts'

/** Shows the saved value below each field that differs; sending again replaces it. @returns the message */
export async function showConflict(form: HTMLFormElement, error: ApiError): Promise<string> {
  if (error.status !== 409 || form.dataset.conflict === undefined) return error.message
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const currentForm = page.getElementById(form.id)
  if (!(currentForm instanceof HTMLFormElement)) return error.message
  form.dataset.call = currentForm.dataset.call
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[name]')) {
    const saved = currentForm.elements.namedItem(field.name)
    if (!(saved instanceof HTMLInputElement || saved instanceof HTMLTextAreaElement)) continue
    if (field.type === 'hidden') field.value = saved.value
    else showSaved(field, saved.value)
  }
  return form.dataset.conflict
}

function showSaved(field: HTMLElement & { value: string }, saved: string): void {
  const next = field.nextElementSibling
  if (next?.classList.contains('saved')) next.remove()
  if (saved === field.value) return
  const details = document.createElement('details')
  details.className = 'saved'
  details.open = true
  const title = document.createElement('summary')
  title.textContent = 'Saved version'
  const text = document.createElement('pre')
  text.textContent = saved
  details.append(title, text)
  field.after(details)
}
