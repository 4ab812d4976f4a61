/** What is known of a letter: whether the text has to have it at the end. */
type Fate = 'there' | 'perhaps' | 'refused' | 'erased'

/** So many letters differ in all that a comparison of texts could take for equal. */
const first = 0x4e00
const count = 0x9fff - first

/** Letters that are each written once: what became of each in the text can be told from the text. */
export class Letters {
  private readonly fates = new Map<string, Fate>()
  private readonly origins = new Map<string, string>()

  get written(): number {
    return [...this.fates.values()].filter((fate) => fate !== 'refused').length
  }

  /** @param origin who writes it, in words */
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

  /** @returns in words, what the text has too often or not at all */
  differences(text: string): string[] {
    const found = new Map<string, number>()
    for (const letter of text) found.set(letter, (found.get(letter) ?? 0) + 1)
    return [...this.fates].flatMap(([letter, fate]) => {
      const times = found.get(letter) ?? 0
      // A comparison of texts that takes too long replaces them as a whole, and may bring back what was erased meanwhile.
      const isRight = fate === 'there' ? times === 1 : times <= (fate === 'refused' ? 0 : 1)
      return isRight ? [] : [`${letter}, ${fate}, by ${this.origins.get(letter)}, is there ${times} times`]
    })
  }
}
