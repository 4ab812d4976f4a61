import { foldedWord } from './search-query.ts'

/** More would make a query slow, and exclude little more. */
const maxTrigrams = 24

/** As names are indexed: case and accents folded, a space for every other sign and at both ends. */
export const trigramText = (name: string): string => ` ${separateWords(name)} `

/** FTS5 syntax. Every name with these words matches, and others, too. Null if no word has three letters. */
export function matchAllTrigrams(words: readonly string[]): string | null {
  const trigrams = new Set(words.flatMap((word) => trigramsOf(separateWords(word))))
  if (trigrams.size === 0) return null
  return [...trigrams].slice(0, maxTrigrams).map(quote).join(' AND ')
}

/** Includes the trigram of the word's beginning. */
export const wordTrigrams = (word: string): string[] => [...new Set(trigramsOf(` ${separateWords(word)}`))]

export const matchAnyTrigram = (trigrams: readonly string[]): string => trigrams.map(quote).join(' OR ')

const separateWords = (text: string): string => foldedWord(text).replace(/[^\p{L}\p{N}]/gu, ' ')

function trigramsOf(text: string): string[] {
  const letters = [...text]
  return letters
    .slice(2)
    .map((_, index) => letters.slice(index, index + 3).join(''))
    .filter((trigram) => trigram.trim() !== '')
}

const quote = (trigram: string): string => `"${trigram}"`
