const maxRemembered = 1000

/** The last changed ids of one kind, by the sequence of `ChangeTopics` at which each was published. */
export class RecentChanges {
  private pending = new Set<string>()
  private published: { id: string; sequence: number }[] = []
  /** Changes up to here may be forgotten. */
  private minSequence: number

  constructor(sequence: number) {
    this.minSequence = sequence
  }

  mark(id: string): void {
    this.pending.add(id)
  }

  publish(sequence: number): void {
    for (const id of this.pending) this.published.push({ id, sequence })
    this.pending.clear()
    const excess = this.published.length - maxRemembered
    if (excess <= 0) return
    this.minSequence = this.published[excess - 1]!.sequence
    this.published = this.published.slice(excess)
  }

  /** Returns null if not all changes since are remembered. */
  since(sequence: number): string[] | null {
    if (sequence < this.minSequence) return null
    const ids = this.published.filter((one) => one.sequence > sequence).map(({ id }) => id)
    return [...new Set(ids)]
  }
}
