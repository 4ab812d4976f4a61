import { foldedWord, requireQuery } from './search-query.ts'

/** What something goes by. */
export interface SearchableNames {
  /** As it is shown. */
  title: string
  /** In which the words are looked for, where that is not what is shown. */
  name?: string
  /** What it goes by besides, of which a word may be the beginning. */
  also?: readonly string[]
}

/** As names are compared: whatever their case, accents, normal form and spacing. Signs are letters like any other. */
const folded = (text: string): string => foldedWord(text).replace(/\s+/gu, ' ').trim()

/** The words that somebody looks for in names. None of them is an operator, nor a pattern. */
export class NameQuery {
  private readonly whole: string
  private readonly words: readonly string[]

  /** @throws WorkspaceError `bad_request` for what is blank or too long */
  constructor(query: string) {
    requireQuery(query)
    this.whole = folded(query)
    this.words = this.whole.split(' ').filter((word) => word !== '')
  }

  /** 0 where a name begins with the query, 1 where it holds all of its words in any order; null for any other. */
  rank({ title, name = title, also = [] }: SearchableNames): 0 | 1 | null {
    const besides = also.map(folded)
    const called = folded(name)
    const holds = (word: string) => called.includes(word) || besides.some((one) => one.startsWith(word))
    if (this.words.length === 0 || !this.words.every(holds)) return null
    return [called, folded(title), ...besides].some((one) => one.startsWith(this.whole)) ? 0 : 1
  }
}
