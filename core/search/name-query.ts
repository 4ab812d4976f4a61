import { foldedWord, requireQuery } from './search-query.ts'

export interface SearchableNames {
  /** As displayed. */
  title: string
  /** The searched text, if different. */
  name?: string
  /** Further names, which a word may be a prefix of. */
  also?: readonly string[]
}

/** Without case, accents, normal form and repeated spaces. Signs are kept. */
const folded = (text: string): string => foldedWord(text).replace(/\s+/gu, ' ').trim()

/** The words of a search by name. None is an operator or pattern. */
export class NameQuery {
  private readonly whole: string
  private readonly words: readonly string[]

  /** @throws WorkspaceError `bad_request` if it is blank or too long */
  constructor(query: string) {
    requireQuery(query)
    this.whole = folded(query)
    this.words = this.whole.split(' ').filter((word) => word !== '')
  }

  /** 0 if a name begins with the query, 1 if it contains all words in any order, else null. */
  rank({ title, name = title, also = [] }: SearchableNames): 0 | 1 | null {
    const besides = also.map(folded)
    const called = folded(name)
    const holds = (word: string) => called.includes(word) || besides.some((one) => one.startsWith(word))
    if (this.words.length === 0 || !this.words.every(holds)) return null
    return [called, folded(title), ...besides].some((one) => one.startsWith(this.whole)) ? 0 : 1
  }
}
