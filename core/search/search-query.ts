import { WorkspaceError } from '../errors/workspace-error.ts'

const maxQueryLength = 400
const maxWords = 16

/** Shorter words are not treated as prefixes: too many words begin with them. */
const minPrefixLength = 2

export interface SearchQuery {
  /** FTS5 syntax; `''` for all entries, the newest first. */
  match: string
  /** Finds the same, in less time, if no word in the index begins with the prefix and is longer. */
  wholeMatch: string
  whole: ReadonlySet<string>
  /** The last word, if it may be the beginning of a word. */
  prefix: string | null
}

/** For a query of operators only. */
export const anyWords: SearchQuery = { match: '', wholeMatch: '', whole: new Set(), prefix: null }

/** All words are required, those in double quotes as a phrase. Null if there is no word. */
export function parseSearchQuery(query: string): SearchQuery | null {
  requireQuery(query)
  const terms = termsOf(query)
  if (terms.length === 0) return null
  const count = terms.reduce((total, { text }) => total + text.split(' ').length, 0)
  if (count > maxWords) {
    throw new WorkspaceError('bad_request', `?q= may hold ${maxWords} words at most.`)
  }
  // Every word is quoted for FTS5, so that none is an operator.
  const matchOf = (mark: string) =>
    [...new Set(terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? mark : ''}`))].join(' AND ')
  const whole = terms.flatMap(({ text }) => text.split(' ')).map(foldedWord)
  const prefix = terms.at(-1)!.isPrefix ? whole.pop()! : null
  return { match: matchOf(' *'), wholeMatch: matchOf(''), whole: new Set(whole), prefix }
}

/** @throws WorkspaceError `bad_request` for a blank or too long query */
export function requireQuery(query: string): void {
  if (query.trim() === '') {
    throw new WorkspaceError('bad_request', '?q= is required: words, or "a phrase".')
  }
  if (query.length > maxQueryLength) {
    throw new WorkspaceError('bad_request', `?q= may have ${maxQueryLength} characters at most.`)
  }
}

interface Term {
  text: string
  isPrefix: boolean
}

function termsOf(query: string): Term[] {
  const terms = [...query.matchAll(/"([^"]*)("?)|[^\s"]+/g)].flatMap(([raw, phrase, closing]) => {
    const text = wordsOf(phrase ?? raw)
    return text === '' ? [] : { text, isClosed: closing === '"' }
  })
  return terms.map(({ text, isClosed }, index) => ({
    text,
    isPrefix: index === terms.length - 1 && !isClosed && isLongEnough(text),
  }))
}

/** Tokenizes as the index does. Marks belong to the letters before them. */
const wordsOf = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}\p{M}\p{Co}]+/gu, ' ')
    .replace(/(?<=^| )\p{M}+/gu, '')
    .trim()

export const isAscii = (word: string): boolean => /^[\0-\x7f]*$/.test(word)

export const foldedWord = (word: string): string =>
  (isAscii(word) ? word : word.normalize('NFD').replace(/\p{M}+/gu, '')).toLowerCase()

/** One letter is enough in scripts that do not separate words by spaces. */
const isLongEnough = (text: string): boolean => {
  const last = text.slice(text.lastIndexOf(' ') + 1)
  return (
    [...last].length >= minPrefixLength ||
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(last)
  )
}
