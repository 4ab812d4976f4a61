import { keyOf, StoredValue } from '../stored-value.ts'

/** Text of an unsent message or edit. It outlives the page and is shared by all tabs. */
export class UnsentText {
  private readonly key: string
  private readonly stored: StoredValue<{ text: string }>
  private current: string

  constructor(name: string) {
    this.key = keyOf('draft', name)
    this.stored = new StoredValue(localStorage, this.key)
    this.current = this.stored.read()?.text ?? ''
  }

  get text(): string {
    return this.current
  }

  set text(text: string) {
    if (text === this.current) return
    this.current = text
    if (text === '') this.stored.remove()
    else this.stored.write({ text })
  }

  /** Calls `listener` after a change in another tab. */
  onChange(listener: (text: string, previous: string) => void): void {
    addEventListener('storage', ({ key }) => {
      if (key !== this.key) return
      const previous = this.current
      this.current = this.stored.read()?.text ?? ''
      if (this.current !== previous) listener(this.current, previous)
    })
  }
}
