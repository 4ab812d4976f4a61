/** Somebody who was mentioned by name, and whom the mention does not reach. */
export interface Unreached {
  /** As it stands in the mention. */
  memberId: string
  /** The present display name; of one who is no member the name in the text. */
  name: string
  /** A sentence that says why, and how it can be mended. */
  reason: string
}
