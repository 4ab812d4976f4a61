export interface DiskClock {
  now(): number
  /** Stops the clock, at a time that need not be the present. Time passes only by holding it at a later one. */
  hold(timeMs?: number): void
  release(): void
}

/** The clock of the disk, which is the machine's unless a test holds it. */
export function diskClock(): DiskClock {
  let heldMs: number | null = null
  return {
    now: () => heldMs ?? Date.now(),
    hold(timeMs = Date.now()) {
      heldMs = timeMs
    },
    release() {
      heldMs = null
    },
  }
}
