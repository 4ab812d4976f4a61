/** How long somebody waits for an answer: until their time is over, or they go away. */
export class Patience {
  /** Nobody is there any more to read an answer. */
  isGone = false
  /** Also when they have gone. */
  isOver = false
  private ended: () => void = () => {}

  /** Calls `ended` when it is over, in place of what was to be called before. */
  onOver(ended: () => void): void {
    this.ended = ended
  }

  /** They have gone away. */
  leave(): void {
    this.isGone = true
    this.end()
  }

  /** Their time is over. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.ended()
  }
}
