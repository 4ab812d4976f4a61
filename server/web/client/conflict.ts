import type { ApiError } from './api.ts'

/** Shows the saved value below each field that differs; sending again replaces it. @returns the message */
export async function showConflict(form: HTMLFormElement, refused: ApiError): Promise<string> {
  if (refused.status !== 409 || form.dataset.conflict === undefined) return refused.message
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const present = page.getElementById(form.id)
  if (!(present instanceof HTMLFormElement)) return refused.message
  form.dataset.call = present.dataset.call
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[name]')) {
    const saved = present.elements.namedItem(field.name)
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
  const shown = document.createElement('details')
  shown.className = 'saved'
  shown.open = true
  const title = document.createElement('summary')
  title.textContent = 'Saved version'
  const text = document.createElement('pre')
  text.textContent = saved
  shown.append(title, text)
  field.after(shown)
}
