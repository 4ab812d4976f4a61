import { foldedWord, requireQuery } from './search-query.ts'

export interface SearchableNames {
  title: string
  /** The text that is matched, if it differs from `title`. */
  name?: string
  /** Other names; a word matches the beginning of one. */
  also?: readonly string[]
}

/** Folds case, accents, normal form and spacing; punctuation is compared like letters. */
const folded = (text: string): string => foldedWord(text).replace(/\s+/gu, ' ').trim()

export class NameQuery {
  private readonly whole: string
  private readonly words: readonly string[]

  constructor(query: string) {
    requireQuery(query)
    this.whole = folded(query)
    this.words = this.whole.split(' ').filter((word) => word !== '')
  }

  rank({ title, name = title, also = [] }: SearchableNames): 0 | 1 | null {
    const otherNames = also.map(folded)
    const foldedName = folded(name)
    const matches = (word: string) =>
      foldedName.includes(word) || otherNames.some((one) => one.startsWith(word))
    if (this.words.length === 0 || !this.words.every(matches)) return null
    return [foldedName, folded(title), ...otherNames].some((one) => one.startsWith(this.whole)) ? 0 : 1
  }
}
