import { errorText } from '../api.ts'
import type { FieldValue } from '../frontmatter.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLFieldSetElement

type Frontmatter = typeof import('../frontmatter.ts')

const afterMs = 300

/** Keeps controls and the frontmatter in step, leaving the rest of the text unchanged. */
export class FrontmatterFields {
  private readonly place: HTMLElement
  private readonly controls: Control[]
  private readonly textOf: () => string
  private readonly change: (text: string) => void
  /** Controls whose value is not in the text yet. Updates leave them alone. */
  private readonly chosen = new Set<Control>()
  /** The control being typed in. Browsers report its value only when it is left. */
  private typed: Control | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(place: HTMLElement, text: { get(): string; change(text: string): void }) {
    this.place = place
    this.controls = [...place.querySelectorAll<Control>('[data-field]')]
    this.textOf = text.get
    this.change = text.change
    const controlOf = ({ target }: Event) => (target as Element).closest<Control>('[data-field]')
    place.addEventListener('input', (event) => {
      this.typed = controlOf(event)
    })
    place.addEventListener('change', (event) => {
      const control = controlOf(event)
      if (!control) return
      this.typed = null
      this.chosen.add(control)
      void this.write()
    })
    this.textChanged(0)
  }

  textChanged(ms = afterMs): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.show(), ms)
  }

  /** Writes pending values, also of the control being typed in. @returns false on failure, with a message */
  async flush(): Promise<boolean> {
    // A half-typed date is not a value.
    if (this.typed && !this.typed.validity.badInput) this.chosen.add(this.typed)
    this.typed = null
    return this.chosen.size === 0 || this.write()
  }

  private async show(): Promise<void> {
    // Values that invalid frontmatter kept out may fit now.
    if (this.chosen.size > 0 && !(await this.write())) return
    await this.attempt(({ fieldsIn }) => {
      const fields = fieldsIn(this.textOf())
      for (const control of this.controls) {
        const isInUse = this.chosen.has(control) || control.contains(document.activeElement)
        if (!isInUse) showIn(control, fields[control.dataset.field!])
      }
    })
  }

  private write(): Promise<boolean> {
    return this.attempt(({ fieldsIn, setFields }) => {
      const text = this.textOf()
      const now = fieldsIn(text)
      const values = [...this.chosen].map((control) => {
        const key = control.dataset.field!
        return [key, chosenIn(control, now[key])] as const
      })
      this.change(setFields(text, Object.fromEntries(values)))
      this.chosen.clear()
    })
  }

  /** Returns whether it succeeded; otherwise shows a message. */
  private async attempt(work: (frontmatter: Frontmatter) => void): Promise<boolean> {
    try {
      work(await import('../frontmatter.ts'))
      this.problem(null)
      return true
    } catch (error) {
      const isBad = error instanceof Error && error.name === 'FrontmatterError'
      this.problem(isBad ? error.message : errorText(error))
      return false
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
  // The server refuses what is not a number.
  if (as === 'numbers') return words.map((word) => Number(word.replace(/^#/, '')) || word)
  if (as === 'moment') return control.value === '' ? null : new Date(control.value).toISOString()
  return control.value === none ? null : control.value
}

/** Keeps names that have no checkbox. */
function checkedIn(control: HTMLFieldSetElement, now: unknown[]): string[] {
  const boxes = boxesIn(control)
  const others = now.map(String).filter((name) => boxes.every(({ value }) => value !== name))
  return [...others, ...boxes.filter(({ checked }) => checked).map(({ value }) => value)]
}

const boxesIn = (control: HTMLFieldSetElement): HTMLInputElement[] => [
  ...control.querySelectorAll<HTMLInputElement>('input[type="checkbox"]'),
]

/** Formats for a `datetime-local` field, in the reader's time zone. */
function localTime(value: unknown): string {
  const at = new Date(typeof value === 'number' ? value : String(value ?? ''))
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
