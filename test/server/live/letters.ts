/** Whether the text must contain a letter at the end. */
type Fate = 'there' | 'perhaps' | 'refused' | 'erased'

/** Distinct letters, so that a comparison of texts takes none for another. */
const first = 0x4e00
const count = 0x9fff - first

/** Letters that are each written once, so that the text shows what became of each. */
export class Letters {
  private readonly fates = new Map<string, Fate>()
  private readonly origins = new Map<string, string>()

  get written(): number {
    return [...this.fates.values()].filter((fate) => fate !== 'refused').length
  }

  /** @param origin names the writer in messages */
  next(origin: string): string {
    if (this.fates.size >= count) throw new RangeError('There are no more letters.')
    const letter = String.fromCodePoint(first + this.fates.size)
    this.fates.set(letter, 'there')
    this.origins.set(letter, origin)
    return letter
  }

  /** The request that wrote it was refused, or got no answer. */
  unsure(letter: string, fate: 'refused' | 'perhaps'): void {
    if (this.fates.get(letter) === 'there') this.fates.set(letter, fate)
  }

  erased(letter: string): void {
    this.fates.set(letter, 'erased')
  }

  in(text: string): string[] {
    return [...text].filter((letter) => this.fates.has(letter))
  }

  /** @returns a sentence for each letter that the text has too often or not at all */
  differences(text: string): string[] {
    const found = new Map<string, number>()
    for (const letter of text) found.set(letter, (found.get(letter) ?? 0) + 1)
    return [...this.fates].flatMap(([letter, fate]) => {
      const times = found.get(letter) ?? 0
      // A comparison of texts that takes too long replaces the whole text, and may bring back an erased letter.
      const isRight = fate === 'there' ? times === 1 : times <= (fate === 'refused' ? 0 : 1)
      return isRight ? [] : [`${letter}, ${fate}, by ${this.origins.get(letter)}, is there ${times} times`]
    })
  }
}
