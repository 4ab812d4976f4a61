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

/** Without a marked option, the browser selects the first. */
const hasDefault = ({ options, selectedIndex }: HTMLSelectElement): boolean =>
  selectedIndex > 0 || [...options].some(({ defaultSelected }) => defaultSelected)

export const fieldsOf = (form: HTMLFormElement): Field[] =>
  [...form.elements].filter((one): one is Field => 'value' in one && !(one instanceof HTMLButtonElement))

/** Whether this is a changed field without a form, which is saved on its own. */
export const isFieldDirty = (node: Node): boolean =>
  (node instanceof HTMLInputElement ||
    node instanceof HTMLSelectElement ||
    node instanceof HTMLTextAreaElement) &&
  node.form === null &&
  isChanged(node)

export const isDirty = (element: Node): element is HTMLFormElement =>
  element instanceof HTMLFormElement &&
  element.dataset.call !== undefined &&
  fieldsOf(element).some(isChanged)

/** The fields when the form was sent; they may change before the response. */
export interface FormSnapshot {
  hasChanged(): boolean
  /** Makes the sent values the saved ones. Later edits stay. */
  markSaved(): void
}

export function snapshotForm(form: HTMLFormElement): FormSnapshot {
  const serialize = () => JSON.stringify(fieldsOf(form).map(currentValue))
  const before = serialize()
  const marks = fieldsOf(form).filter(isChanged).map(markOf)
  return {
    hasChanged: () => serialize() !== before,
    markSaved() {
      for (const mark of marks) mark()
    },
  }
}

const currentValue = (field: Field): unknown => {
  if (field instanceof HTMLSelectElement) return Array.from(field.options, ({ selected }) => selected)
  return isBox(field) ? field.checked : field.value
}

/** Returns a function that makes the field's current value the saved one. */
export function markOf(field: Field): () => void {
  if (field instanceof HTMLSelectElement) {
    const selections = Array.from(field.options, (option) => ({ option, isSelected: option.selected }))
    return () => {
      for (const { option, isSelected } of selections) option.defaultSelected = isSelected
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
