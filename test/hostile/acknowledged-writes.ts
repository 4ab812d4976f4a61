/** A document as it was written and answered. */
interface Written {
  path: string
  /** What it must be; null: it must be gone. */
  text: string | null
  /** What it may be as well: writes that were not answered since. */
  possible: Set<string | null>
}

/** Keeps account of what was answered, apart from all that the server keeps. */
export class AcknowledgedWrites {
  private readonly documents = new Map<string, Written>()
  private readonly messages = new Set<string>()
  /** What was refused last, by path, in words. */
  private readonly refusals = new Map<string, string>()

  get paths(): string[] {
    return [...this.documents].filter(([, { text }]) => text !== null).map(([path]) => path)
  }

  /** @param text null: it was deleted */
  answered(path: string, text: string | null): void {
    this.documents.set(path, { path, text, possible: new Set() })
  }

  /** Nobody knows whether it was written. */
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

  /** @param texts what there is, by path @returns in words, what is not as it was answered */
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
