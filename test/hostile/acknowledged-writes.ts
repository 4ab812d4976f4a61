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
  answered(path: string, text: string | null): void {
    this.documents.set(path, { path, text, possible: new Set() })
  }

  /** Records a write without a response, which may have happened or not. */
  unanswered(path: string, text: string | null): void {
    const known = this.documents.get(path) ?? { path, text: null, possible: new Set() }
    known.possible.add(text)
    this.documents.set(path, known)
  }

  refused(path: string, words: string): void {
    this.refusals.set(path, words)
  }

  said(body: string): void {
    this.messages.add(body)
  }

  /** @param texts the present texts by path @returns a sentence per difference from the acknowledged state */
  differences(texts: ReadonlyMap<string, string>, said: ReadonlySet<string>): string[] {
    const found: string[] = []
    for (const { path, text, possible } of this.documents.values()) {
      const now = texts.get(path) ?? null
      if (now === text) continue
      if (possible.has(now)) this.answered(path, now)
      else {
        found.push(
          `${path} is ${shown(now)}, and was answered as ${shown(text)}; refused last: ${this.refusals.get(path)}`,
        )
        this.answered(path, now)
      }
    }
    for (const path of texts.keys()) {
      if (this.documents.has(path)) continue
      found.push(`${path} is there, and was refused: ${this.refusals.get(path)}`)
      this.answered(path, texts.get(path)!)
    }
    for (const body of this.messages) if (!said.has(body)) found.push(`The message ${body} is gone`)
    return found
  }
}

const shown = (text: string | null): string => (text === null ? 'nothing' : JSON.stringify(text.slice(0, 60)))
