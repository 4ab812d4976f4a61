import { showError, showToast } from '../feedback.ts'
import { isChanged, markOf } from '../form-state.ts'
import { refresh } from '../live.ts'
import { offerUndo } from '../undo.ts'
import { changeFields, errorMessageFor, type FieldChanges, type Fields, moveCard } from './card-file.ts'

export function editFields(page: HTMLElement): void {
  page.addEventListener('change', (event) => {
    const control = event.target as Control
    const panel = control.closest<HTMLElement>('.card-fields')
    if (panel) save(panel, control)
  })
  page.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('[data-remove]')
    const panel = button?.closest<HTMLElement>('.card-fields')
    if (!button || !panel) return
    const { remove: list = '', value = '' } = button.dataset
    const removed = valueFor(list, value) ?? value
    write(panel, button, {
      act: fields((current) => ({ [list]: listIn(current, list, removed) })),
    })
  })
  // Fields may have changed before this script was loaded.
  for (const panel of page.querySelectorAll<HTMLElement>('.card-fields')) {
    for (const control of panel.querySelectorAll<Control>('input, select')) {
      const saveIfChanged = () => isChanged(control) && save(panel, control)
      // The reader may still be typing.
      if (control.type === 'text' && control === document.activeElement)
        control.addEventListener('blur', saveIfChanged, { once: true })
      else saveIfChanged()
    }
  }
}

type Control = HTMLInputElement | HTMLSelectElement

function save(panel: HTMLElement, control: Control): void {
  const { value, dataset } = control
  if (dataset.move !== undefined)
    change(panel, control, (path) => moveWithUndo(path, value, shownValue(control)))
  else if (dataset.field !== undefined) {
    const { field } = dataset
    change(
      panel,
      control,
      fields(() => ({ [field]: value === 'none' ? null : value })),
    )
  } else if (dataset.add !== undefined && value.trim() !== '') {
    const list = dataset.add
    const added = valueFor(list, value)
    control.value = ''
    if (added === null) showError(control, 'Enter a card number.')
    else
      write(panel, control, {
        act: fields((current) => ({ [list]: [...listIn(current, list, added), added] })),
      })
  }
}

async function moveWithUndo(path: string, toColumn: string, former: string): Promise<string> {
  const moved = await moveCard(path, toColumn)
  offerUndo({
    message: 'Card moved.',
    requests: [{ line: `POST ${moved}/_move`, json: { toColumn: former } }],
  })
  return moved
}

/** Saves a control's value. Until then, updates leave it unchanged. */
function change(panel: HTMLElement, control: Control, act: Act): void {
  const { value } = control
  const markSaved = markOf(control)
  const undo = () => {
    if (control.value === value) control.value = shownValue(control)
  }
  write(panel, control, { act, markSaved, undo })
}

const shownValue = (control: Control): string => {
  if (control instanceof HTMLInputElement) return control.defaultValue
  const options = [...control.options]
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? ''
}

type Act = (path: string) => Promise<string>

interface Writing {
  /** @param path of the card @returns its new path */
  act: Act
  markSaved?: () => void
  undo?: () => void
}

let lastWrite: Promise<unknown> = Promise.resolve()

/** In order, since each write can move the card. */
function write(panel: HTMLElement, control: HTMLElement, writing: Writing): void {
  const next = () => writeNow(panel, control, writing)
  lastWrite = lastWrite.then(next, next)
}

const fields = (change: (current: Fields) => FieldChanges) => (path: string) => changeFields(path, change)

async function writeNow(
  panel: HTMLElement,
  control: HTMLElement,
  { act, markSaved, undo }: Writing,
): Promise<void> {
  panel.ariaBusy = 'true'
  try {
    panel.dataset.path = await act(panel.dataset.path!)
    markSaved?.()
    showError(control, null)
    showToast('Saved.')
    void refresh()
  } catch (error) {
    undo?.()
    // Shows the card's current state before the message.
    await refresh()
    showError(control, errorMessageFor(error))
  } finally {
    panel.ariaBusy = null
  }
}

/** Cards are identified by the number at the beginning of the text; null if there is none. */
function valueFor(list: string, text: string): string | number | null {
  if (list !== 'blocked-by') return text.trim()
  const [number] = /^\s*\d+/.exec(text) ?? []
  return number === undefined ? null : Number(number)
}

function listIn(current: Fields, list: string, without: string | number): (string | number)[] {
  const values = current[list]
  if (!Array.isArray(values)) return []
  return (values as (string | number)[]).filter((value) => value !== without)
}
