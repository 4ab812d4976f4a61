import { Signal } from '../../data/signal.ts'
import type { Clock, Timer } from '../time/clock.ts'

/** How long a heartbeat counts, in milliseconds (`docs/interface.md#limits`). */
const heartbeatMs = 90_000

/** Where a member was when they last said that they are here. */
interface Heartbeat {
  /** The room that they had before them; null for none. */
  roomId: string | null
  /** The client in use, as it names itself; null where it does not. */
  client: string | null
}

/** What others see of a member's presence has changed. */
interface PresenceChange {
  memberId: string
  /** They came online, or are so no more. */
  isOnlineChanged: boolean
  /** Ids of the rooms that they have come to or left. */
  rooms: string[]
}

const noHeartbeat: Heartbeat = { roomId: null, client: null }

/** Who is here: each member's last heartbeat, kept in memory alone. */
export class OnlinePresence {
  /** In the order of the beats: who is gone first stands first. */
  private readonly lastBeats = new Map<string, Heartbeat & { atMs: number }>()
  private readonly clock: Clock
  private readonly changed = new Signal<PresenceChange>()
  private timer: Timer | null = null

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** A member says that they are here; each heartbeat is the whole truth until the next. */
  beat(memberId: string, where: Heartbeat = noHeartbeat): void {
    const before = this.lastBeat(memberId)
    this.lastBeats.delete(memberId)
    this.lastBeats.set(memberId, { ...where, atMs: this.clock.now() })
    this.timer ??= this.clock.at(this.clock.now() + heartbeatMs, () => this.forget())
    if (before && before.roomId === where.roomId) return
    this.changed.emit({ memberId, isOnlineChanged: before === null, rooms: roomsOf(before, where) })
  }

  /** Calls `listener` whenever somebody comes online, goes to another room, or is not heard of any more. */
  onChange(listener: (change: PresenceChange) => void): void {
    this.changed.listen(listener)
  }

  /** Ends the timer. */
  stop(): void {
    this.timer?.cancel()
  }

  /** Whether a member sent a heartbeat within the last 90 seconds. */
  isOnline(memberId: string): boolean {
    return this.lastBeat(memberId) !== null
  }

  /** Whether a member is online, and their last heartbeat named this room. */
  isInRoom(memberId: string, roomId: string): boolean {
    return this.lastBeat(memberId)?.roomId === roomId
  }

  private lastBeat(memberId: string): Heartbeat | null {
    const beat = this.lastBeats.get(memberId)
    return beat && Math.abs(this.clock.now() - beat.atMs) < heartbeatMs ? beat : null
  }

  /** Forgets those who were not heard of for too long. */
  private forget(): void {
    this.timer = null
    for (const [memberId, beat] of this.lastBeats) {
      const endsMs = beat.atMs + heartbeatMs
      if (this.clock.now() < endsMs) {
        this.timer = this.clock.at(endsMs, () => this.forget())
        return
      }
      this.lastBeats.delete(memberId)
      this.changed.emit({ memberId, isOnlineChanged: true, rooms: roomsOf(beat) })
    }
  }
}

const roomsOf = (...places: (Heartbeat | null)[]): string[] => places.flatMap((place) => place?.roomId ?? [])
