/** Random choices that repeat with the same seed. */
export interface Choices {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
}
