import { WorkspaceError } from '../errors/workspace-error.ts'

/** The most that is looked for at once. */
const maxQueryLength = 400
const maxWords = 16

/** Words of fewer letters are not taken for the beginning of others: too many begin with them. */
const minPrefixLength = 2

/** What is looked for. The words are as `foldedWord` makes them. */
export interface SearchQuery {
  /** In FTS5's query syntax. */
  match: string
  whole: ReadonlySet<string>
  /** What the last word begins with; null: it is whole. */
  prefix: string | null
}

/**
 * What somebody typed: all words have to be there, those in double quotes one behind the other. The last may be the
 * beginning of one, as it is while somebody types. Every word is quoted for FTS5: none is an operator.
 * @returns null where no word is in it, only signs
 * @throws WorkspaceError `bad_request` for what is blank or too long
 */
export function parseSearchQuery(query: string): SearchQuery | null {
  requireQuery(query)
  const terms = termsOf(query)
  if (terms.length === 0) return null
  const count = terms.reduce((total, { text }) => total + text.split(' ').length, 0)
  if (count > maxWords) {
    throw new WorkspaceError('bad_request', `?q= may hold ${maxWords} words at the most.`)
  }
  const asked = new Set(terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? ' *' : ''}`))
  const whole = terms.flatMap(({ text }) => text.split(' ')).map(foldedWord)
  const prefix = terms.at(-1)!.isPrefix ? whole.pop()! : null
  return { match: [...asked].join(' AND '), whole: new Set(whole), prefix }
}

/** @throws WorkspaceError `bad_request` for what is blank or too long */
export function requireQuery(query: string): void {
  if (query.trim() === '') {
    throw new WorkspaceError('bad_request', '?q= is required: words, or "a phrase".')
  }
  if (query.length > maxQueryLength) {
    throw new WorkspaceError('bad_request', `?q= may have ${maxQueryLength} characters at the most.`)
  }
}

interface Term {
  /** Words parted by one space. */
  text: string
  isPrefix: boolean
}

function termsOf(query: string): Term[] {
  const terms = [...query.matchAll(/"([^"]*)("?)|[^\s"]+/g)].flatMap(([written, phrase, closing]) => {
    const text = wordsOf(phrase ?? written)
    return text === '' ? [] : { text, isClosed: closing === '"' }
  })
  return terms.map(({ text, isClosed }, index) => ({
    text,
    isPrefix: index === terms.length - 1 && !isClosed && isLongEnough(text),
  }))
}

/** The letters and digits: what the index knows of a text. Marks belong to the letters before them. */
const wordsOf = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}\p{M}\p{Co}]+/gu, ' ')
    .replace(/(?<=^| )\p{M}+/gu, '')
    .trim()

const isAscii = /^[\0-\x7f]*$/

/** As words are compared: whatever their case and accents. */
export const foldedWord = (word: string): string =>
  (isAscii.test(word) ? word : word.normalize('NFD').replace(/\p{M}+/gu, '')).toLowerCase()

/** Where words are not parted by spaces, one letter is long enough. */
const isLongEnough = (text: string): boolean => {
  const last = text.slice(text.lastIndexOf(' ') + 1)
  return (
    [...last].length >= minPrefixLength ||
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(last)
  )
}
