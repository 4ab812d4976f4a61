/** For the operator, in words. */
export interface Problem {
  problem: string
  /** The remedy. */
  mend: string
}
