interface Written {
  path: string
  /** The acknowledged text; null if it was deleted. */
  text: string | null
  /** Texts of later writes without a response, which it may have as well. */
  possible: Set<string | null>
}

export class AcknowledgedWrites {
  private readonly documents = new Map<string, Written>()
  private readonly messages = new Set<string>()
  /** The last refusal by path. */
  private readonly refusals = new Map<string, string>()

  get paths(): string[] {
    return [...this.documents].filter(([, { text }]) => text !== null).map(([path]) => path)
  }

  /** @param text null if it was deleted */
  acknowledge(path: string, text: string | null): void {
    this.documents.set(path, { path, text, possible: new Set() })
  }

  /** Records a write without a response, which may have happened or not. */
  recordUnanswered(path: string, text: string | null): void {
    const document = this.documents.get(path) ?? { path, text: null, possible: new Set() }
    document.possible.add(text)
    this.documents.set(path, document)
  }

  recordRefusal(path: string, reason: string): void {
    this.refusals.set(path, reason)
  }

  acknowledgeMessage(body: string): void {
    this.messages.add(body)
  }

  /** @param texts the present texts by path @returns a sentence per difference from the acknowledged state */
  differences(texts: ReadonlyMap<string, string>, messages: ReadonlySet<string>): string[] {
    const found: string[] = []
    for (const { path, text, possible } of this.documents.values()) {
      const current = texts.get(path) ?? null
      if (current === text) continue
      if (possible.has(current)) this.acknowledge(path, current)
      else {
        found.push(
          `${path} is ${quote(current)}, and was answered as ${quote(text)}; refused last: ${this.refusals.get(path)}`,
        )
        this.acknowledge(path, current)
      }
    }
    for (const path of texts.keys()) {
      if (this.documents.has(path)) continue
      found.push(`${path} is there, and was refused: ${this.refusals.get(path)}`)
      this.acknowledge(path, texts.get(path)!)
    }
    for (const body of this.messages) if (!messages.has(body)) found.push(`The message ${body} is gone`)
    return found
  }
}

const quote = (text: string | null): string => (text === null ? 'nothing' : JSON.stringify(text.slice(0, 60)))
