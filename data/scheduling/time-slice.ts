const defaultMaxMs = 4

/** All slices together, in one turn of the event loop; at least one continues. */
const maxTurnMs = 8

/** Between steps: `while (slice.isOver) await slice.pause()`. Workers that share a slice share its time. */
export class TimeSlice {
  private endMs = 0
  private pausing: Promise<void> | null = null

  /** @param maxMs in each turn, not counting the last step */
  constructor(private readonly maxMs = defaultMaxMs) {}

  /** True before the first pause. */
  get isOver(): boolean {
    return performance.now() >= this.endMs
  }

  pause(): Promise<void> {
    this.pausing ??= untilResumed().then(() => {
      this.pausing = null
      this.endMs = performance.now() + this.maxMs
    })
    return this.pausing
  }
}

/** Paused slices in the order in which they continue. */
const paused: (() => void)[] = []

let turnEndMs: number | null = null

function untilResumed(): Promise<void> {
  return new Promise((resume) => {
    paused.push(resume)
    setImmediate(resumeFirst)
  })
}

/** Many slices would otherwise hold the event loop together, each for its own time. */
function resumeFirst(): void {
  if (turnEndMs === null) {
    turnEndMs = performance.now() + maxTurnMs
    // Runs before all other slices of the next turn.
    setImmediate(() => {
      turnEndMs = null
    })
  } else if (performance.now() >= turnEndMs) {
    setImmediate(resumeFirst)
    return
  }
  paused.shift()!()
}
