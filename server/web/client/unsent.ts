type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** What a field held when the server showed it. */
const isChanged = (field: Field): boolean => {
  if (field instanceof HTMLSelectElement)
    return (
      [...field.options].some(({ selected, defaultSelected }) => selected !== defaultSelected) &&
      hasDefault(field)
    )
  if (field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type))
    return field.checked !== field.defaultChecked
  return field.value !== field.defaultValue
}

/** Where no option is marked, a browser chooses the first. */
const hasDefault = ({ options, selectedIndex }: HTMLSelectElement): boolean =>
  selectedIndex > 0 || [...options].some(({ defaultSelected }) => defaultSelected)

const fieldsOf = (form: HTMLFormElement): Field[] =>
  [...form.elements].filter((one): one is Field => 'value' in one && !(one instanceof HTMLButtonElement))

/** Whether somebody has changed a form that the interface is to be asked with, and not sent it yet. */
export const isUnsent = (element: Node): element is HTMLFormElement =>
  element instanceof HTMLFormElement &&
  element.dataset.call !== undefined &&
  fieldsOf(element).some(isChanged)

/** What is in a form's fields has been sent: it may be shown anew. */
export function markSent(form: HTMLFormElement): void {
  for (const field of fieldsOf(form)) {
    if (field instanceof HTMLSelectElement)
      for (const option of field.options) option.defaultSelected = option.selected
    else if (field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type))
      field.defaultChecked = field.checked
    else if (field.type !== 'file') field.defaultValue = field.value
  }
}
