/** What somebody writes in one place, kept in this tab until it has arrived. */
interface Kept {
  text: string
  /** The text in stored form that was sent and has not been answered, and the key that makes it one message however often it is sent. */
  sending?: { body: string; key: string }
}

/** What was written and not sent, or sent and not answered: it outlives the page, a failure and a sign-in. */
export class Draft {
  private readonly name: string
  private kept: Kept

  /** @param place that it is written for, such as a room. Others who sign in here do not see it */
  constructor(place: string) {
    this.name = `draft:${document.body.dataset.member}:${place}`
    this.kept = read(this.name)
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

  /** It has arrived. */
  sent(): void {
    this.kept = { text: this.kept.text }
    this.keep()
  }

  private keep(): void {
    const { text, sending } = this.kept
    try {
      if (text === '' && !sending) sessionStorage.removeItem(this.name)
      else sessionStorage.setItem(this.name, JSON.stringify(this.kept))
    } catch {
      // Without room for it, the page alone has it.
    }
  }
}

function read(name: string): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? '{"text":""}') as Kept
  } catch {
    return { text: '' }
  }
}

/** `crypto.randomUUID` is there on encrypted connections only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
