export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export const isBox = (field: Field): field is HTMLInputElement => /^(?:checkbox|radio)$/.test(field.type)

export const isChanged = (field: Field): boolean => {
  if (field instanceof HTMLSelectElement)
    return (
      [...field.options].some(({ selected, defaultSelected }) => selected !== defaultSelected) &&
      hasDefault(field)
    )
  if (isBox(field)) return field.checked !== field.defaultChecked
  return field.value !== field.defaultValue
}

/** Where no option is marked, a browser chooses the first. */
const hasDefault = ({ options, selectedIndex }: HTMLSelectElement): boolean =>
  selectedIndex > 0 || [...options].some(({ defaultSelected }) => defaultSelected)

export const fieldsOf = (form: HTMLFormElement): Field[] =>
  [...form.elements].filter((one): one is Field => 'value' in one && !(one instanceof HTMLButtonElement))

/** Whether a node is a changed field without a form, which is saved on its own. */
export const isFieldDirty = (node: Node): boolean =>
  (node instanceof HTMLInputElement ||
    node instanceof HTMLSelectElement ||
    node instanceof HTMLTextAreaElement) &&
  node.form === null &&
  isChanged(node)

/** Whether a form has unsent changes. */
export const isDirty = (element: Node): element is HTMLFormElement =>
  element instanceof HTMLFormElement &&
  element.dataset.call !== undefined &&
  fieldsOf(element).some(isChanged)

/** What was in a form's fields when it was sent. Until that has arrived, more may be written into them. */
export interface FormSnapshot {
  hasChanged(): boolean
  /** The sent values are saved: they may be updated, and what was written since stays. */
  markSaved(): void
}

export function snapshotForm(form: HTMLFormElement): FormSnapshot {
  const held = () => JSON.stringify(fieldsOf(form).map(currentValue))
  const before = held()
  const marks = fieldsOf(form).filter(isChanged).map(markOf)
  return {
    hasChanged: () => held() !== before,
    markSaved() {
      for (const mark of marks) mark()
    },
  }
}

const currentValue = (field: Field): unknown => {
  if (field instanceof HTMLSelectElement) return Array.from(field.options, ({ selected }) => selected)
  return isBox(field) ? field.checked : field.value
}

/** @returns lets what is in a field now be what the server has shown */
export function markOf(field: Field): () => void {
  if (field instanceof HTMLSelectElement) {
    const chosen = Array.from(field.options, (option) => ({ option, isChosen: option.selected }))
    return () => {
      for (const { option, isChosen } of chosen) option.defaultSelected = isChosen
    }
  }
  if (isBox(field)) {
    const { checked } = field
    return () => {
      field.defaultChecked = checked
    }
  }
  const { value } = field
  return () => {
    if (field.type !== 'file') field.defaultValue = value
  }
}
