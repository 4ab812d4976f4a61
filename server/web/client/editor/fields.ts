import { inWords } from '../api.ts'
import type { FieldValue } from '../frontmatter.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLFieldSetElement

const afterMs = 300

/**
 * Controls that stand for keys of the frontmatter. What the text says is shown in them, and what is chosen in them is
 * written into the text, of which all else stays as it is.
 */
export class Fields {
  private readonly place: HTMLElement
  private readonly controls: Control[]
  private readonly textOf: () => string
  private readonly change: (text: string) => void
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(place: HTMLElement, text: { get(): string; change(text: string): void }) {
    this.place = place
    this.controls = [...place.querySelectorAll<Control>('[data-field]')]
    this.textOf = text.get
    this.change = text.change
    place.addEventListener('change', (event) => {
      const control = (event.target as Element).closest<Control>('[data-field]')
      if (control) void this.write(control)
    })
    this.textChanged(0)
  }

  textChanged(ms = afterMs): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.show(), ms)
  }

  private async show(): Promise<void> {
    const { BadFrontmatter, fieldsIn } = await import('../frontmatter.ts')
    try {
      const fields = fieldsIn(this.textOf())
      for (const control of this.controls) {
        if (!control.contains(document.activeElement)) showIn(control, fields[control.dataset.field!])
      }
      this.problem(null)
    } catch (error) {
      if (!(error instanceof BadFrontmatter)) throw error
      this.problem(error.message)
    }
  }

  private async write(control: Control): Promise<void> {
    const { BadFrontmatter, fieldsIn, withFields } = await import('../frontmatter.ts')
    const key = control.dataset.field!
    try {
      const text = this.textOf()
      this.change(withFields(text, { [key]: chosenIn(control, fieldsIn(text)[key]) }))
      this.problem(null)
    } catch (error) {
      this.problem(error instanceof BadFrontmatter ? error.message : inWords(error))
    }
  }

  private problem(words: string | null): void {
    const shown = this.place.querySelector('.problem')
    if (words === null) {
      shown?.remove()
      return
    }
    const line = shown ?? document.createElement('p')
    line.className = 'problem'
    line.role = 'alert'
    line.textContent = words
    if (!shown) this.place.append(line)
  }
}

function showIn(control: Control, value: unknown): void {
  const { as, none } = control.dataset
  const texts = Array.isArray(value) ? value.map(String) : []
  if (control instanceof HTMLFieldSetElement) {
    for (const box of boxesIn(control)) box.checked = texts.includes(box.value)
  } else if (as === 'flag') (control as HTMLInputElement).checked = value === control.value
  else if (as === 'words' || as === 'numbers') control.value = texts.join(', ')
  else if (as === 'moment') control.value = localTime(value)
  else control.value = value === undefined || value === null ? (none ?? '') : String(value)
}

function chosenIn(control: Control, now: unknown): FieldValue {
  const { as, none } = control.dataset
  if (control instanceof HTMLFieldSetElement) return checkedIn(control, Array.isArray(now) ? now : [])
  if (as === 'flag') return (control as HTMLInputElement).checked ? control.value : null
  const words = control.value.split(',').flatMap((word) => word.trim() || [])
  if (as === 'words') return words
  // What is no number the server refuses, in its own words.
  if (as === 'numbers') return words.map((word) => Number(word.replace(/^#/, '')) || word)
  if (as === 'moment') return control.value === '' ? null : new Date(control.value).toISOString()
  return control.value === none ? null : control.value
}

/** Names that are not offered stay. */
function checkedIn(control: HTMLFieldSetElement, now: unknown[]): string[] {
  const boxes = boxesIn(control)
  const others = now.map(String).filter((name) => boxes.every(({ value }) => value !== name))
  return [...others, ...boxes.filter(({ checked }) => checked).map(({ value }) => value)]
}

const boxesIn = (control: HTMLFieldSetElement): HTMLInputElement[] => [
  ...control.querySelectorAll<HTMLInputElement>('input[type="checkbox"]'),
]

/** As a field for a time takes it: in the reader's own time. */
function localTime(value: unknown): string {
  const at = new Date(typeof value === 'number' ? value : String(value ?? ''))
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
