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
    const entries = [...document.forms]
      .filter(isDirty)
      .map((form) => [nameOf(form), serializeForm(form)] as const)
    store({ ...stored().read(), ...Object.fromEntries(entries) })
  })
}

function restoreForms(): void {
  const savedForms = stored().read() ?? {}
  for (const form of document.forms) {
    const name = nameOf(form)
    const { [name]: saved } = savedForms
    if (!saved || form.dataset.call === undefined) continue
    delete savedForms[name]
    // With its former base revision, so that others' later changes show as a conflict.
    form.dataset.call = saved.call
    for (const field of fieldsOf(form)) fill(field, saved.fields[nameIn(field)])
    for (
      let details = form.closest('details');
      details;
      details = details.parentElement?.closest('details') ?? null
    )
      details.open = true
  }
  store(savedForms)
}

function serializeForm(form: HTMLFormElement): SavedForm {
  const fields = fieldsOf(form).filter(
    (field) => isStorable(field) && (field.type === 'hidden' || isChanged(field)),
  )
  return {
    call: form.dataset.call ?? '',
    fields: Object.fromEntries(
      fields.map((field) => [nameIn(field), isBox(field) ? field.checked : field.value]),
    ),
  }
}

/** Secrets are not stored. */
const isStorable = ({ type }: Field) => type !== 'password' && type !== 'file'

function fill(field: Field, value: string | boolean | undefined): void {
  if (value === undefined) return
  if (isBox(field)) field.checked = value === true
  // The field may have been changed before this script was loaded.
  else if (field instanceof HTMLTextAreaElement && isChanged(field)) field.value = `${value}\n${field.value}`
  else field.value = String(value)
}

/** Forms with the same request, such as replies, differ in their fields' ids. */
const nameOf = (form: HTMLFormElement): string =>
  form.id || `${form.dataset.call} ${fieldsOf(form).find(({ id }) => id !== '')?.id}`

const nameIn = (field: Field): string =>
  field.id || (isBox(field) ? `${field.name}=${field.value}` : field.name)

const stored = () =>
  new StoredValue<Record<string, SavedForm>>(sessionStorage, keyOf('forms', location.pathname))

function store(forms: Record<string, SavedForm>): void {
  if (Object.keys(forms).length === 0) stored().remove()
  else stored().write(forms)
}
