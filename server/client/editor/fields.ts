import { errorText } from '../api.ts'
import type { FieldValue } from '../frontmatter.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLFieldSetElement

type Frontmatter = typeof import('../frontmatter.ts')

const debounceMs = 300

/** Keeps controls and the frontmatter in step, leaving the rest of the text unchanged. */
export class FrontmatterFields {
  private readonly container: HTMLElement
  private readonly controls: Control[]
  private readonly getText: () => string
  private readonly change: (text: string) => void
  /** Controls whose value is not in the text yet. Updates leave them alone. */
  private readonly pending = new Set<Control>()
  /** The control being typed in. Browsers report its value only when it is left. */
  private activeControl: Control | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(container: HTMLElement, text: { get(): string; change(text: string): void }) {
    this.container = container
    this.controls = [...container.querySelectorAll<Control>('[data-field]')]
    this.getText = text.get
    this.change = text.change
    const controlOf = ({ target }: Event) => (target as Element).closest<Control>('[data-field]')
    container.addEventListener('input', (event) => {
      this.activeControl = controlOf(event)
    })
    container.addEventListener('change', (event) => {
      const control = controlOf(event)
      if (!control) return
      this.activeControl = null
      this.pending.add(control)
      void this.write()
    })
    this.scheduleShow(0)
  }

  scheduleShow(ms = debounceMs): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.show(), ms)
  }

  /** Writes pending values, also of the control being typed in. @returns false on failure, with a message */
  async flush(): Promise<boolean> {
    // A half-typed date is not a value.
    if (this.activeControl && !this.activeControl.validity.badInput) this.pending.add(this.activeControl)
    this.activeControl = null
    return this.pending.size === 0 || this.write()
  }

  private async show(): Promise<void> {
    // Values that invalid frontmatter kept out may fit now.
    if (this.pending.size > 0 && !(await this.write())) return
    await this.attempt(({ fieldsIn }) => {
      const fields = fieldsIn(this.getText())
      for (const control of this.controls) {
        const isInUse = this.pending.has(control) || control.contains(document.activeElement)
        if (!isInUse) showValue(control, fields[control.dataset.field!])
      }
    })
  }

  private write(): Promise<boolean> {
    return this.attempt(({ fieldsIn, setFields }) => {
      const text = this.getText()
      const current = fieldsIn(text)
      const values = [...this.pending].map((control) => {
        const key = control.dataset.field!
        return [key, readValue(control, current[key])] as const
      })
      this.change(setFields(text, Object.fromEntries(values)))
      this.pending.clear()
    })
  }

  /** Returns whether it succeeded; otherwise shows a message. */
  private async attempt(action: (frontmatter: Frontmatter) => void): Promise<boolean> {
    try {
      action(await import('../frontmatter.ts'))
      this.showProblem(null)
      return true
    } catch (error) {
      const isInvalid = error instanceof Error && error.name === 'FrontmatterError'
      this.showProblem(isInvalid ? error.message : errorText(error))
      return false
    }
  }

  private showProblem(message: string | null): void {
    const existing = this.container.querySelector('.problem')
    if (message === null) {
      existing?.remove()
      return
    }
    const element = existing ?? document.createElement('p')
    element.className = 'problem'
    element.role = 'alert'
    element.textContent = message
    if (!existing) this.container.append(element)
  }
}

function showValue(control: Control, value: unknown): void {
  const { as, none } = control.dataset
  const texts = Array.isArray(value) ? value.map(String) : []
  if (control instanceof HTMLFieldSetElement) {
    for (const box of boxesIn(control)) box.checked = texts.includes(box.value)
  } else if (as === 'flag') (control as HTMLInputElement).checked = value === control.value
  else if (as === 'words' || as === 'numbers') control.value = texts.join(', ')
  else if (as === 'moment') control.value = localTime(value)
  else control.value = value === undefined || value === null ? (none ?? '') : String(value)
}

function readValue(control: Control, current: unknown): FieldValue {
  const { as, none } = control.dataset
  if (control instanceof HTMLFieldSetElement)
    return readChecked(control, Array.isArray(current) ? current : [])
  if (as === 'flag') return (control as HTMLInputElement).checked ? control.value : null
  const entries = control.value.split(',').flatMap((word) => word.trim() || [])
  if (as === 'words') return entries
  // The server refuses what is not a number.
  if (as === 'numbers') return entries.map((word) => Number(word.replace(/^#/, '')) || word)
  if (as === 'moment') return control.value === '' ? null : new Date(control.value).toISOString()
  return control.value === none ? null : control.value
}

/** Keeps names that have no checkbox. */
function readChecked(control: HTMLFieldSetElement, current: unknown[]): string[] {
  const boxes = boxesIn(control)
  const unlisted = current.map(String).filter((name) => boxes.every(({ value }) => value !== name))
  return [...unlisted, ...boxes.filter(({ checked }) => checked).map(({ value }) => value)]
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
