/** Letters from which one mistake in a word is forgiven, and two. */
const minLetters = { oneMistake: 4, twoMistakes: 8 }

/** Longer words are compared exactly: the time grows with the square. */
const maxLetters = 32

export const mistakesAllowed = (word: string): number => {
  const { length } = word
  if (length < minLetters.oneMistake || length > maxLetters || !/^\p{L}+$/u.test(word)) return 0
  return length < minLetters.twoMistakes ? 1 : 2
}

/** Mistakes are letters that are missing, added, wrong or swapped. `word` may be longer. Both are folded. */
export function isSimilar(typed: string, word: string): boolean {
  const allowed = mistakesAllowed(typed)
  if (allowed === 0 || word.length < typed.length - allowed) return false
  return mistakes(typed, word.slice(0, typed.length + allowed)) <= allowed
}

/** The smallest optimal-string-alignment distance of a word to a beginning of another. */
function mistakes(typed: string, word: string): number {
  let [beforeLast, last]: [number[], number[]] = [
    [],
    Array.from({ length: word.length + 1 }, (_, column) => column),
  ]
  for (let row = 1; row <= typed.length; row++) {
    const current = [row]
    for (let column = 1; column <= word.length; column++) {
      const isSame = typed[row - 1] === word[column - 1]
      let fewest = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwapped =
        row > 1 && column > 1 && typed[row - 1] === word[column - 2] && typed[row - 2] === word[column - 1]
      if (isSwapped) fewest = Math.min(fewest, beforeLast[column - 2]! + 1)
      current.push(fewest)
    }
    beforeLast = last
    last = current
  }
  return Math.min(...last)
}
