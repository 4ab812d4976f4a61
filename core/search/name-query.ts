import { foldedWord, requireQuery } from './search-query.ts'
import { isSimilar, mistakesAllowed } from './small-mistakes.ts'

export interface SearchableNames {
  title: string
  /** The text that is matched, if it differs from `title`. */
  name?: string
  /** Other names; a word matches the beginning of one. */
  aliases?: readonly string[]
}

/** 0: begins with the query; 1: contains its words; 2: contains similar words. */
export type Rank = 0 | 1 | 2

/** Folds case, accents, normal form and spacing; punctuation counts. */
const foldName = (text: string): string => foldedWord(text).replace(/\s+/gu, ' ').trim()

const maxWordsOfName = 20

export class NameQuery {
  readonly words: readonly string[]
  private readonly foldedQuery: string

  constructor(query: string) {
    requireQuery(query)
    this.foldedQuery = foldName(query)
    this.words = this.foldedQuery.split(' ').filter((word) => word !== '')
  }

  get allowsMistakes(): boolean {
    return this.words.some((word) => mistakesAllowed(word) > 0)
  }

  rank({ title, name = title, aliases = [] }: SearchableNames): Rank | null {
    if (this.words.length === 0) return null
    const otherNames = aliases.map(foldName)
    const foldedName = foldName(name)
    const matches = (word: string) =>
      foldedName.includes(word) || otherNames.some((one) => one.startsWith(word))
    const isBeginning = () =>
      [foldedName, foldName(title), ...otherNames].some((one) => one.startsWith(this.foldedQuery))
    if (this.words.every(matches)) return isBeginning() ? 0 : 1
    if (!this.allowsMistakes) return null
    const wordsOfName = foldedName.match(/[\p{L}\p{N}]+/gu)?.slice(0, maxWordsOfName) ?? []
    const matchesOrIsSimilar = (word: string) =>
      matches(word) || wordsOfName.some((one) => isSimilar(word, one))
    return this.words.every(matchesOrIsSimilar) ? 2 : null
  }
}
