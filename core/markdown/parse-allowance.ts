export class AllowanceExceededError extends Error {
  constructor() {
    super('This text must be parsed on a separate thread')
    this.name = 'AllowanceExceededError'
  }
}

/** Created once: it is thrown for most new texts, and collecting a stack takes as long as checking one. */
const exceeded = new AllowanceExceededError()

/** What may be parsed on the main thread. */
export interface Allowance {
  characters: number
  /** Of these, special characters: what takes more than linear time consists of them. */
  marks: number
  fragments: number
  frontmatter: number
}

let allowance: Allowance | null = null

const mark = /[^\p{L}\p{N} ,;'"]/gu

const marksOfText = 8

/** Runs `work`, in which no more than this may be parsed. @throws AllowanceExceededError */
export function withAllowance<Result>(limits: Allowance, work: () => Result): Result {
  allowance = { ...limits }
  try {
    return work()
  } finally {
    allowance = null
  }
}

export function takeText(text: string): void {
  if (!allowance) return
  take('characters', text.length)
  take('marks', marksOfText + (text.match(mark)?.length ?? 0))
}

export function takeFragments(count: number): void {
  take('fragments', count)
}

export function takeFrontmatter(length: number): void {
  take('frontmatter', length)
}

function take(key: keyof Allowance, amount: number): void {
  if (!allowance) return
  allowance[key] -= amount
  if (allowance[key] < 0) throw exceeded
}
