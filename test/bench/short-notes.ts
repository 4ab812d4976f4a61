const syllables = 'ba de fo gri hu ka lo me ni os pa qui re sto tu ve wa xi yo zen'.split(' ')
const wordsInUse = 8000
const words = Array.from({ length: wordsInUse }, (_, number) => wordOf(number + syllables.length))

/** A note of about 430 bytes, as in a vault of small files. The same number always gives the same note. */
export function shortNote(number: number): string {
  const random = randomNumbers(number + 1)
  // As in prose, few words are frequent and most are rare.
  const word = () => words[Math.floor(words.length ** random()) - 1]!
  const sentence = (count: number) => `${capitalised(Array.from({ length: count }, word).join(' '))}.`
  const other = Math.floor(random() * Math.max(1, number))
  return [
    `# Page ${number}: ${word()} ${word()}`,
    `${sentence(9)} See [[Page ${other}]] and **${word()}**, note w${number}x. ${sentence(10)}`,
    `- ${sentence(5)}\n- ${sentence(6)}`,
    `${sentence(11)} ${sentence(9)} ${sentence(8)}\n`,
  ].join('\n\n')
}

function wordOf(number: number): string {
  const rest = Math.floor(number / syllables.length)
  return `${rest === 0 ? '' : wordOf(rest)}${syllables[number % syllables.length]}`
}

const capitalised = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** The generator mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
