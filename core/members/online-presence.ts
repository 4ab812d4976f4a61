import { Signal } from '../../data/signal.ts'
import type { Clock, Timer } from '../time/clock.ts'

/** How long a heartbeat is valid (`docs/interface.md#limits`). */
const heartbeatMs = 90_000

/** A member's last heartbeat. */
interface Heartbeat {
  /** The displayed room, if any. */
  roomId: string | null
  /** The client's name, if given. */
  client: string | null
}

/** A change of presence that others see. */
interface PresenceChange {
  memberId: string
  /** They came online or went offline. */
  isOnlineChanged: boolean
  /** Ids of rooms that they entered or left. */
  rooms: string[]
}

const noHeartbeat: Heartbeat = { roomId: null, client: null }

/** Members' last heartbeats, in memory only. */
export class OnlinePresence {
  /** In the order of heartbeats: the first expires first. */
  private readonly lastBeats = new Map<string, Heartbeat & { atMs: number }>()
  private readonly clock: Clock
  private readonly changed = new Signal<PresenceChange>()
  private timer: Timer | null = null

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Each heartbeat replaces the previous one. */
  beat(memberId: string, where: Heartbeat = noHeartbeat): void {
    const before = this.lastBeat(memberId)
    this.lastBeats.delete(memberId)
    this.lastBeats.set(memberId, { ...where, atMs: this.clock.now() })
    this.timer ??= this.clock.at(this.clock.now() + heartbeatMs, () => this.forget())
    if (before && before.roomId === where.roomId) return
    this.changed.emit({ memberId, isOnlineChanged: before === null, rooms: roomsOf(before, where) })
  }

  /** Calls `listener` when someone comes online, changes rooms, or expires. */
  onChange(listener: (change: PresenceChange) => void): void {
    this.changed.listen(listener)
  }

  stop(): void {
    this.timer?.cancel()
  }

  /** Whether there was a heartbeat within the last 90 seconds. */
  isOnline(memberId: string): boolean {
    return this.lastBeat(memberId) !== null
  }

  /** Whether a member is online with this room displayed. */
  isInRoom(memberId: string, roomId: string): boolean {
    return this.lastBeat(memberId)?.roomId === roomId
  }

  private lastBeat(memberId: string): Heartbeat | null {
    const beat = this.lastBeats.get(memberId)
    return beat && Math.abs(this.clock.now() - beat.atMs) < heartbeatMs ? beat : null
  }

  /** Removes expired heartbeats. */
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
