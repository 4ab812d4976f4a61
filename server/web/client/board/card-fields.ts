import { showProblem } from '../call.ts'
import { refresh } from '../live.ts'
import { say } from '../say.ts'
import { changeFields, type FieldChanges, type Fields, moveTo, wordsFor } from './card-file.ts'

/** The fields beside a card: each change is written at once. */
export function editFields(page: HTMLElement): void {
  page.addEventListener('change', (event) => {
    const control = event.target as HTMLInputElement | HTMLSelectElement
    const panel = control.closest<HTMLElement>('.card-fields')
    if (!panel) return
    const { value, dataset } = control
    if (dataset.move !== undefined) void write(panel, control, (path) => moveTo(path, value))
    else if (dataset.field !== undefined) {
      const { field } = dataset
      void write(
        panel,
        control,
        fields(() => ({ [field]: value === 'none' ? null : value })),
      )
    } else if (dataset.add !== undefined && value.trim() !== '') {
      const list = dataset.add
      const added = valueFor(list, value)
      control.value = ''
      if (added === null) showProblem(control, 'Write the number of a card.')
      else
        void write(
          panel,
          control,
          fields((now) => ({ [list]: [...listIn(now, list, added), added] })),
        )
    }
  })
  page.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('[data-remove]')
    const panel = button?.closest<HTMLElement>('.card-fields')
    if (!button || !panel) return
    const { remove: list = '', value = '' } = button.dataset
    const removed = valueFor(list, value) ?? value
    void write(
      panel,
      button,
      fields((now) => ({ [list]: listIn(now, list, removed) })),
    )
  })
}

const fields = (change: (now: Fields) => FieldChanges) => (path: string) => changeFields(path, change)

async function write(
  panel: HTMLElement,
  control: HTMLElement,
  act: (path: string) => Promise<string>,
): Promise<void> {
  panel.ariaBusy = 'true'
  try {
    panel.dataset.path = await act(panel.dataset.path!)
    showProblem(control, null)
    say('Saved.')
  } catch (error) {
    showProblem(control, wordsFor(error))
  } finally {
    panel.ariaBusy = null
    await refresh()
  }
}

/** Cards are meant by the number that a text begins with. Null: it begins with none. */
function valueFor(list: string, text: string): string | number | null {
  if (list !== 'blocked-by') return text.trim()
  const [number] = /^\s*\d+/.exec(text) ?? []
  return number === undefined ? null : Number(number)
}

/** A list of the file without one of its values. */
function listIn(now: Fields, list: string, without: string | number): (string | number)[] {
  const values = now[list]
  if (!Array.isArray(values)) return []
  return (values as (string | number)[]).filter((value) => value !== without)
}
