import { ApiError, type ApiResponse, call, errorText } from './api.ts'
import { confirmThen } from './confirm.ts'
import { showConflict } from './conflict.ts'
import { type FormSnapshot, snapshotForm } from './form-state.ts'
import { pauseUpdates, refresh } from './live.ts'
import { storedText } from './mentions.ts'
import { showError } from './problem.ts'
import { showToast } from './toast.ts'
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
 * - `data-conflict`: the message for a conflict (`conflict.ts`).
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
  from: HTMLElement,
  buttons: Iterable<HTMLButtonElement>,
  request: () => CallRequest | Promise<CallRequest>,
): Promise<void> {
  const { confirm: question, confirmButton } = from.dataset
  // A message within a menu would disappear with it.
  const near = from.closest<HTMLElement>('details.actions') ?? from
  if (from.ariaBusy === 'true' || from.ariaDisabled === 'true') return
  if (question !== undefined && !(await confirmThen(question, confirmButton))) return
  from.ariaBusy = 'true'
  // Disabled buttons would lose the focus.
  for (const button of buttons) button.ariaDisabled = 'true'
  // A page about to be left is not updated: what it shows may no longer exist.
  const release = from.dataset.then?.startsWith('go:') ? pauseUpdates() : () => {}
  try {
    const sent = from instanceof HTMLFormElement ? snapshotForm(from) : null
    const { line, json, body } = await request()
    const [, method, path] = /^([A-Z]+) (\S+)$/.exec(line)!
    const answer = await call(method!, path!, {
      ...(json !== undefined && { json }),
      ...(body !== undefined && { body, headers: { 'Content-Type': 'text/markdown; charset=utf-8' } }),
    })
    showError(near, null)
    const place = from.closest<HTMLElement>('[data-live][id]')?.id
    await finish(from, answer, sent)
    if (!from.isConnected) focusElement(place)
    // The browser may show the page again from its cache.
    addEventListener('pageshow', release, { once: true })
  } catch (error) {
    release()
    const isForm = from instanceof HTMLFormElement && error instanceof ApiError
    showError(near, isForm ? await showConflict(from, error).catch(errorText) : errorText(error))
  } finally {
    from.ariaBusy = null
    for (const button of buttons) button.ariaDisabled = null
  }
}

async function finish(from: HTMLElement, answer: ApiResponse, sent: FormSnapshot | null): Promise<void> {
  const { then = 'refresh', say: words, reset } = from.dataset
  if (from instanceof HTMLFormElement && sent) {
    if (reset === undefined) sent.markSaved()
    else if (!sent.hasChanged()) from.reset()
    for (const saved of from.querySelectorAll('.saved')) saved.remove()
  }
  const { undo, undoJson } = from.dataset
  if (undo !== undefined) {
    const line = fillTemplate(undo, answer.json, encodeURIComponent)
    offerUndo({
      words: words ?? 'Done.',
      requests: [{ line, ...(undoJson !== undefined && { json: JSON.parse(undoJson) }) }],
    })
  } else if (words !== undefined) showToast(words)
  from.dispatchEvent(new CustomEvent('called', { bubbles: true, detail: answer }))
  const [, how, what = ''] = /^(\w+)(?::(.*))?$/.exec(then)!
  if (how === 'go') location.assign(localPath(fillTemplate(what, answer.json, (value) => value)))
  if (how === 'show') show(what, answer.json)
  if (how !== 'go' && how !== 'nothing') await refresh()
}

/** Moves the focus from a removed button to where it was. */
function focusElement(id: string | undefined): void {
  const place = id === undefined ? null : document.getElementById(id)
  if (!place || (document.activeElement && document.activeElement !== document.body)) return
  place.tabIndex = -1
  place.focus({ preventScroll: true })
}

/** The interface names the public URL; the reader may use another one. */
function localPath(address: string): string {
  const { pathname, search, hash } = new URL(address, location.href)
  return pathname + search + hash
}

function show(id: string, answer: Record<string, unknown>): void {
  const place = document.getElementById(id)
  if (!place) return
  const fields = [...place.querySelectorAll<HTMLElement>('[data-from]')]
  // Fields such as a secret are not in every response.
  if (fields.every(({ dataset }) => valueAt(answer, dataset.from!) === undefined)) return
  for (const field of fields) {
    const value = String(valueAt(answer, field.dataset.from!) ?? '')
    if (field instanceof HTMLInputElement) field.value = value
    else field.textContent = value
  }
  place.hidden = false
  place.scrollIntoView({ block: 'nearest' })
  place.focus()
}

const valueAt = (answer: Record<string, unknown>, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], answer)

const fillTemplate = (
  template: string,
  fields: Record<string, unknown>,
  written: (value: string) => string,
): string =>
  template.replace(/\{([\w.]+)\}/g, (_, name: string) => written(String(valueAt(fields, name) ?? '')))

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
    const named = form.querySelectorAll<HTMLInputElement>(`input[type="checkbox"][name="${field.name}"]`)
    if (named.length === 1 && field.dataset.as !== 'list') return (field as HTMLInputElement).checked
    return [...named].filter(({ checked }) => checked).map(({ value }) => value)
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
