/** A text cannot be parsed here and now: that is for a thread of its own. */
export class AllowanceExceededError extends Error {
  constructor() {
    super('This text has to be parsed on a thread of its own')
    this.name = 'AllowanceExceededError'
  }
}

/** What may be parsed while the thread that answers waits. */
interface Allowance {
  characters: number
  /** Characters that may mean more than themselves, and lines: what takes more than linear time is made of them. */
  marks: number
}

let allowance: Allowance | null = null

const marks = /[^\p{L}\p{N} .,;()'"]/gu

/**
 * Does something, in which so much text and no more may be parsed.
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

/** @throws AllowanceExceededError where this text is too much */
export function takeFromAllowance(text: string): void {
  if (!allowance) return
  allowance.characters -= text.length
  if (allowance.characters < 0) throw new AllowanceExceededError()
  allowance.marks -= text.match(marks)?.length ?? 0
  if (allowance.marks < 0) throw new AllowanceExceededError()
}
