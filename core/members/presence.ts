import type { Clock } from '../clock.ts'

/** How long a heartbeat counts, in milliseconds (`interface.md`, Limits). */
export const heartbeatMs = 90_000

/** Where a member was when they last said that they are here. */
export interface Whereabouts {
  /** The room that they had before them; null for none. */
  roomId: string | null
  /** The client in use, as it names itself; null where it does not. */
  client: string | null
}

const nowhere: Whereabouts = { roomId: null, client: null }

/** Who is here: each member's last heartbeat, kept in memory alone. */
export class Presence {
  private readonly lastBeats = new Map<string, Whereabouts & { atMs: number }>()
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** A member says that they are here; each heartbeat is the whole truth until the next. */
  beat(memberId: string, where: Whereabouts = nowhere): void {
    this.lastBeats.set(memberId, { ...where, atMs: this.clock.now() })
  }

  /** Whether a member sent a heartbeat within the last 90 seconds. */
  isOnline(memberId: string): boolean {
    return this.lastBeat(memberId) !== null
  }

  /** Whether a member is online, and their last heartbeat named this room. */
  isHere(memberId: string, roomId: string): boolean {
    return this.lastBeat(memberId)?.roomId === roomId
  }

  private lastBeat(memberId: string): Whereabouts | null {
    const beat = this.lastBeats.get(memberId)
    return beat && this.clock.now() - beat.atMs < heartbeatMs ? beat : null
  }
}
