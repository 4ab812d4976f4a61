/** Something that an operator must know, in words. */
export interface Problem {
  problem: string
  /** What to do about it. */
  mend: string
}
