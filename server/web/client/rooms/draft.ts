import { keyOf, StoredValue } from '../stored-value.ts'

/** Unsent text of one place, kept in this tab. */
interface Kept {
  text: string
  /** The text in stored form that was sent and has not been answered, and the key that makes it one message however often it is sent. */
  sending?: { body: string; key: string }
}

/** What was written and not sent, or sent and not answered: it outlives the page, a failure and a sign-in. */
export class Draft {
  private readonly stored: StoredValue<Kept>
  private kept: Kept

  constructor(place: string) {
    this.stored = new StoredValue(sessionStorage, keyOf('draft', place))
    this.kept = this.stored.read() ?? { text: '' }
  }

  get text(): string {
    return this.kept.text
  }

  set text(text: string) {
    this.kept = { ...this.kept, text }
    this.keep()
  }

  /** The key for a text that is about to be sent: the same one where the same text was sent before. */
  keyFor(body: string): string {
    const { sending } = this.kept
    const key = sending?.body === body ? sending.key : newKey()
    this.kept = { ...this.kept, sending: { body, key } }
    this.keep()
    return key
  }

  sent(): void {
    this.kept = { text: this.kept.text }
    this.keep()
  }

  private keep(): void {
    const { text, sending } = this.kept
    if (text === '' && !sending) this.stored.remove()
    else this.stored.write(this.kept)
  }
}

/** `crypto.randomUUID` is there on encrypted connections only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
