/**
 * `inCommit` resolves when durable, since SQLite flushes within COMMIT; `afterCommit` before, so that callers
 * await `flushed()`. Either way the caller continues in the turn of the COMMIT.
 */
export type Flush = 'inCommit' | 'afterCommit'

export interface QueuedWrite {
  flush: Flush
  publishes: boolean
  write: () => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** A transaction takes no further writer once both limits are reached, so that requests are served in between. */
const maxTransaction = { ms: 10, writers: 64 }

/** At least `minWriters` are taken with others, and more only within `ms`. */
const maxBackground = { ms: 8, minWriters: 4 }

export class WriteQueue {
  private writers: QueuedWrite[] = []
  private background: QueuedWrite[] = []

  add(writer: QueuedWrite): void {
    this.writers.push(writer)
  }

  addInBackground(writer: QueuedWrite): void {
    this.background.push(writer)
  }

  get isEmpty(): boolean {
    return this.writers.length === 0 && this.background.length === 0
  }

  get flush(): Flush {
    return this.writers.some(({ flush }) => flush === 'inCommit') ? 'inCommit' : 'afterCommit'
  }

  takeAll(): QueuedWrite[] {
    const all = [...this.writers, ...this.background]
    this.writers = []
    this.background = []
    return all
  }

  /** Moves those that one transaction takes to `taken`; all if `run` throws. Returns functions that settle them. */
  runNext(run: (writer: QueuedWrite) => () => void, taken: QueuedWrite[]): (() => void)[] {
    const startMs = performance.now()
    const { writers, background } = this
    this.writers = []
    this.background = []
    try {
      const first = runUntil(
        writers,
        run,
        (count) => count >= maxTransaction.writers && performance.now() >= startMs + maxTransaction.ms,
      )
      const later = runUntil(
        background,
        run,
        (count) => count >= maxBackground.minWriters && performance.now() >= startMs + maxBackground.ms,
      )
      taken.push(...writers.splice(0, first.length), ...background.splice(0, later.length))
      // What a writer queued meanwhile comes after those already waiting.
      this.writers = [...writers, ...this.writers]
      this.background = [...background, ...this.background]
      return [...first, ...later]
    } catch (error) {
      taken.push(...writers, ...background)
      throw error
    }
  }
}

function runUntil(
  writers: readonly QueuedWrite[],
  run: (writer: QueuedWrite) => () => void,
  isFull: (count: number) => boolean,
): (() => void)[] {
  const outcomes: (() => void)[] = []
  for (const writer of writers) {
    outcomes.push(run(writer))
    if (isFull(outcomes.length)) break
  }
  return outcomes
}
