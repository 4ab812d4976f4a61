import type { Clock } from '../clock.ts'

/** How long a heartbeat counts, in milliseconds (`interface.md`, Limits). */
export const heartbeatMs = 90_000

/** Who is here: heartbeats, kept in memory alone. */
export class Presence {
  private readonly lastBeatMs = new Map<string, number>()
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** A member says that they are here. */
  beat(memberId: string): void {
    this.lastBeatMs.set(memberId, this.clock.now())
  }

  /** Whether a member sent a heartbeat within the last 90 seconds. */
  isOnline(memberId: string): boolean {
    const beatMs = this.lastBeatMs.get(memberId)
    return beatMs !== undefined && this.clock.now() - beatMs < heartbeatMs
  }
}
