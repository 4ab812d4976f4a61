/** A text cannot be parsed here and now: that is for a thread of its own. */
export class AllowanceExceededError extends Error {
  constructor() {
    super('This text has to be parsed on a thread of its own')
    this.name = 'AllowanceExceededError'
  }
}

/** How much may be done while the thread that answers waits. */
export interface Allowance {
  /** That are not known, in UTF-16 code units. */
  characters: number
  /** Of these, characters that may mean more than themselves: what takes more than linear time is made of them. */
  marks: number
  /** Whether they are known or not. */
  fragments: number
  /** The author's own lines, in UTF-16 code units, each time that they are read. */
  frontmatter: number
}

let allowance: Allowance | null = null

const mark = /[^\p{L}\p{N} ,;'"]/gu

/** What the parse of a text costs, however short it is. */
const marksOfText = 8

/**
 * Does something in which no more than this may be parsed.
 * @throws AllowanceExceededError
 */
export function withAllowance<Result>(most: Allowance, work: () => Result): Result {
  allowance = { ...most }
  try {
    return work()
  } finally {
    allowance = null
  }
}

/** @throws AllowanceExceededError where this text may not be parsed as well */
export function takeText(text: string): void {
  if (!allowance) return
  take('characters', text.length)
  take('marks', marksOfText + (text.match(mark)?.length ?? 0))
}

/** @throws AllowanceExceededError where so many fragments may not be looked up as well */
export function takeFragments(count: number): void {
  take('fragments', count)
}

/** @throws AllowanceExceededError where so much frontmatter may not be read as well */
export function takeFrontmatter(length: number): void {
  take('frontmatter', length)
}

function take(what: keyof Allowance, amount: number): void {
  if (!allowance) return
  allowance[what] -= amount
  if (allowance[what] < 0) throw new AllowanceExceededError()
}
