import { keyOf, StoredValue } from '../stored-value.ts'

/** Text of an unsent message or edit. It outlives the page and is shared by all tabs. */
export class UnsentText {
  private readonly key: string
  private readonly stored: StoredValue<{ text: string }>
  private written: string

  constructor(name: string) {
    this.key = keyOf('draft', name)
    this.stored = new StoredValue(localStorage, this.key)
    this.written = this.stored.read()?.text ?? ''
  }

  get text(): string {
    return this.written
  }

  set text(text: string) {
    if (text === this.written) return
    this.written = text
    if (text === '') this.stored.remove()
    else this.stored.write({ text })
  }

  /** Calls `listener` after a change in another tab. */
  onChange(listener: (text: string, before: string) => void): void {
    addEventListener('storage', ({ key }) => {
      if (key !== this.key) return
      const before = this.written
      this.written = this.stored.read()?.text ?? ''
      if (this.written !== before) listener(this.written, before)
    })
  }
}
