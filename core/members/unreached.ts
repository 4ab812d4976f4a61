export interface Unreached {
  memberId: string
  /** The current name; for an unknown member, the name in the text. */
  name: string
  /** A sentence with the reason and the remedy. */
  reason: string
}
