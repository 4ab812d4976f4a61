import { ApiError, type ApiResponse, call, errorText } from './api.ts'
import { openConfirmDialog } from './dialogs.ts'
import { showError, showToast } from './feedback.ts'
import { type FormSnapshot, snapshotForm } from './form-state.ts'
import { pauseUpdates, refresh } from './live.ts'
import { storedText } from './mentions.ts'
import { offerUndo } from './undo.ts'

/**
 * Sends forms and buttons to the interface, as their attributes say:
 *
 * - A form has `method="dialog"`, so that it does nothing and keeps its text until this script runs, or the
 *   server also accepts it directly. Fields needed only for that have `data-plain`.
 * - `data-call="POST /api/rooms"`: the request. `{name}` is replaced with the field of that name, which is
 *   not sent.
 * - A form sends its named fields as JSON, except empty ones, unless they have `data-empty` (sent as `''`) or
 *   `data-empty="null"`. `data-as="number"`, `"lines"` and `"list"` (commas or lines) convert text. A
 *   checkbox is true or false; several of one name are a list of values. A text area with `data-mentions`
 *   (`mentions.ts`) sends names as mentions. `data-raw="body"` sends that field as it is.
 * - A button sends `data-json`.
 * - `data-confirm`: a question asked first, `data-confirm-button` the label of the button that continues.
 * - `data-then`: `refresh` (default) updates the page; `go:/path/{name}` goes there, with fields of the
 *   response; `show:id` fills each `[data-from="field"]` in that element from the response and shows it;
 *   `nothing`.
 * - `data-say`: the message on success.
 * - `data-undo="POST /v1/…/{id}"`: the request that undoes the change, with fields of the response, offered
 *   with the message; `data-undo-json` is its body.
 * - `data-reset`: empties the form on success, unless it was changed meanwhile.
 * - `data-conflict`: the message for a conflict (`showConflict`).
 */
export function handleApiForms(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (form.dataset.call === undefined) return
    event.preventDefault()
    void send(form, form.querySelectorAll('button'), () => requestOf(form))
  })
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('button[data-call]')
    if (!button) return
    event.preventDefault()
    const { call: line = '', json } = button.dataset
    void send(button, [button], () => ({ line, ...(json !== undefined && { json: JSON.parse(json) }) }))
  })
}

interface CallRequest {
  line: string
  json?: unknown
  body?: string
}

async function send(
  element: HTMLElement,
  buttons: Iterable<HTMLButtonElement>,
  request: () => CallRequest | Promise<CallRequest>,
): Promise<void> {
  const { confirm: question, confirmButton } = element.dataset
  // A message within a menu would disappear with it.
  const anchor = element.closest<HTMLElement>('details.actions') ?? element
  if (element.ariaBusy === 'true' || element.ariaDisabled === 'true') return
  if (question !== undefined && !(await openConfirmDialog(question, confirmButton))) return
  element.ariaBusy = 'true'
  // Disabled buttons would lose the focus.
  for (const button of buttons) button.ariaDisabled = 'true'
  // A page about to be left is not updated: what it shows may no longer exist.
  const resumeUpdates = element.dataset.then?.startsWith('go:') ? pauseUpdates() : () => {}
  try {
    const snapshot = element instanceof HTMLFormElement ? snapshotForm(element) : null
    const { line, json, body } = await request()
    const [, method, path] = /^([A-Z]+) (\S+)$/.exec(line)!
    const response = await call(method!, path!, {
      ...(json !== undefined && { json }),
      ...(body !== undefined && { body, headers: { 'Content-Type': 'text/markdown; charset=utf-8' } }),
    })
    showError(anchor, null)
    const liveElementId = element.closest<HTMLElement>('[data-live][id]')?.id
    await finish(element, response, snapshot)
    if (!element.isConnected) focusElement(liveElementId)
    // The browser may show the page again from its cache.
    addEventListener('pageshow', resumeUpdates, { once: true })
  } catch (error) {
    resumeUpdates()
    const isForm = element instanceof HTMLFormElement && error instanceof ApiError
    showError(anchor, isForm ? await showConflict(element, error).catch(errorText) : errorText(error))
  } finally {
    element.ariaBusy = null
    for (const button of buttons) button.ariaDisabled = null
  }
}

async function finish(
  element: HTMLElement,
  response: ApiResponse,
  snapshot: FormSnapshot | null,
): Promise<void> {
  const { then = 'refresh', say: message, reset } = element.dataset
  if (element instanceof HTMLFormElement && snapshot) {
    if (reset === undefined) snapshot.markSaved()
    else if (!snapshot.hasChanged()) element.reset()
    for (const saved of element.querySelectorAll('.saved')) saved.remove()
  }
  const { undo, undoJson } = element.dataset
  if (undo !== undefined) {
    const line = fillTemplate(undo, response.json, encodeURIComponent)
    offerUndo({
      message: message ?? 'Done.',
      requests: [{ line, ...(undoJson !== undefined && { json: JSON.parse(undoJson) }) }],
    })
  } else if (message !== undefined) showToast(message)
  element.dispatchEvent(new CustomEvent('called', { bubbles: true, detail: response }))
  const [, action, target = ''] = /^(\w+)(?::(.*))?$/.exec(then)!
  if (action === 'go') location.assign(localPath(fillTemplate(target, response.json, (value) => value)))
  if (action === 'show') show(target, response.json)
  if (action !== 'go' && action !== 'nothing') await refresh()
}

/** Moves the focus from a removed button to where it was. */
function focusElement(id: string | undefined): void {
  const element = id === undefined ? null : document.getElementById(id)
  if (!element || (document.activeElement && document.activeElement !== document.body)) return
  element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** The interface names the public URL; the reader may use another one. */
function localPath(address: string): string {
  const { pathname, search, hash } = new URL(address, location.href)
  return pathname + search + hash
}

function show(id: string, response: Record<string, unknown>): void {
  const element = document.getElementById(id)
  if (!element) return
  const fields = [...element.querySelectorAll<HTMLElement>('[data-from]')]
  // Fields such as a secret are not in every response.
  if (fields.every(({ dataset }) => valueAt(response, dataset.from!) === undefined)) return
  for (const field of fields) {
    const value = String(valueAt(response, field.dataset.from!) ?? '')
    if (field instanceof HTMLInputElement) field.value = value
    else field.textContent = value
  }
  element.hidden = false
  element.scrollIntoView({ block: 'nearest' })
  element.focus()
}

const valueAt = (object: Record<string, unknown>, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], object)

const fillTemplate = (
  template: string,
  fields: Record<string, unknown>,
  encode: (value: string) => string,
): string =>
  template.replace(/\{([\w.]+)\}/g, (_, name: string) => encode(String(valueAt(fields, name) ?? '')))

async function requestOf(form: HTMLFormElement): Promise<CallRequest> {
  const fields = fieldsOf(form)
  for (const field of form.querySelectorAll<HTMLTextAreaElement>('textarea[data-mentions][name]')) {
    if (typeof fields[field.name] === 'string') fields[field.name] = await storedText(field)
  }
  const template = form.dataset.call!
  const line = fillTemplate(template, fields, encodeURIComponent)
  for (const [, name] of template.matchAll(/\{(\w+)\}/g)) delete fields[name!]
  const { raw } = form.dataset
  return raw === undefined ? { line, json: fields } : { line, body: String(fields[raw] ?? '') }
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function fieldsOf(form: HTMLFormElement): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const field of form.elements as unknown as Iterable<Field>) {
    if (!field.name || field.disabled || 'plain' in field.dataset) continue
    const value = sentValue(form, field)
    if (value === undefined) continue
    const [, outer, inner] = /^(\w+)\[(.+)\]$/.exec(field.name) ?? []
    if (outer === undefined || inner === undefined) fields[field.name] = value
    else fields[outer] = { ...(fields[outer] as object | undefined), [inner]: value }
  }
  return fields
}

function sentValue(form: HTMLFormElement, field: Field): unknown {
  if (field.type === 'checkbox') {
    const checkboxes = form.querySelectorAll<HTMLInputElement>(`input[type="checkbox"][name="${field.name}"]`)
    if (checkboxes.length === 1 && field.dataset.as !== 'list') return (field as HTMLInputElement).checked
    return [...checkboxes].filter(({ checked }) => checked).map(({ value }) => value)
  }
  if (field.type === 'radio' && !(field as HTMLInputElement).checked) return undefined
  const text = field.value
  const { as, empty } = field.dataset
  if (text.trim() === '')
    return empty === undefined ? undefined : empty === 'null' ? null : isList(as) ? [] : ''
  if (as === 'number') return Number(text)
  if (as === 'lines') return withoutBlank(text.split('\n'))
  if (as === 'list') return withoutBlank(text.split(/[,\n]/))
  if (field.type === 'datetime-local') return new Date(text).toISOString()
  return text
}

const isList = (as: string | undefined) => as === 'list' || as === 'lines'

const withoutBlank = (texts: string[]) => texts.map((one) => one.trim()).filter((one) => one !== '')

/** Shows the saved value below each field that differs; sending again replaces it. @returns the message */
async function showConflict(form: HTMLFormElement, error: ApiError): Promise<string> {
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
