import { type Field, fieldsOf, isBox, isChanged, isDirty } from './form-state.ts'
import { keyOf, StoredValue } from './stored-value.ts'

interface SavedForm {
  /** The request, which may contain the revision that the form is based on. */
  call: string
  fields: Record<string, string | boolean>
}

/** Stores changed forms when the session ends, and restores them after signing in again. */
export function saveFormsOnSessionEnd(): void {
  restoreForms()
  addEventListener('sessionended', () => {
    const written = [...document.forms].filter(isDirty).map((form) => [nameOf(form), keptOf(form)] as const)
    store({ ...stored().read(), ...Object.fromEntries(written) })
  })
}

function restoreForms(): void {
  const kept = stored().read() ?? {}
  for (const form of document.forms) {
    const name = nameOf(form)
    const { [name]: left } = kept
    if (!left || form.dataset.call === undefined) continue
    delete kept[name]
    // With its former base revision, so that others' later changes show as a conflict.
    form.dataset.call = left.call
    for (const field of fieldsOf(form)) fill(field, left.fields[nameIn(field)])
    for (let at = form.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
      at.open = true
  }
  store(kept)
}

function keptOf(form: HTMLFormElement): SavedForm {
  const fields = fieldsOf(form).filter(
    (field) => isShown(field) && (field.type === 'hidden' || isChanged(field)),
  )
  return {
    call: form.dataset.call ?? '',
    fields: Object.fromEntries(
      fields.map((field) => [nameIn(field), isBox(field) ? field.checked : field.value]),
    ),
  }
}

/** Secrets are not stored. */
const isShown = ({ type }: Field) => type !== 'password' && type !== 'file'

function fill(field: Field, kept: string | boolean | undefined): void {
  if (kept === undefined) return
  if (isBox(field)) field.checked = kept === true
  // The field may have been changed before this script was loaded.
  else if (field instanceof HTMLTextAreaElement && isChanged(field)) field.value = `${kept}\n${field.value}`
  else field.value = String(kept)
}

/** Forms with the same request, such as replies, differ in their fields' ids. */
const nameOf = (form: HTMLFormElement): string =>
  form.id || `${form.dataset.call} ${fieldsOf(form).find(({ id }) => id !== '')?.id}`

const nameIn = (field: Field): string =>
  field.id || (isBox(field) ? `${field.name}=${field.value}` : field.name)

const stored = () =>
  new StoredValue<Record<string, SavedForm>>(sessionStorage, keyOf('forms', location.pathname))

function store(kept: Record<string, SavedForm>): void {
  if (Object.keys(kept).length === 0) stored().remove()
  else stored().write(kept)
}
