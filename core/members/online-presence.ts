import { Signal } from '../../data/signal.ts'
import type { Clock, Timer } from '../time/clock.ts'

const heartbeatMs = 90_000

interface Heartbeat {
  roomId: string | null
  client: string | null
}

interface PresenceChange {
  memberId: string
  isOnlineChanged: boolean
  rooms: string[]
}

const noHeartbeat: Heartbeat = { roomId: null, client: null }

export class OnlinePresence {
  /** In the order of heartbeats: the first expires first. */
  private readonly lastBeats = new Map<string, Heartbeat & { atMs: number }>()
  private readonly changed = new Signal<PresenceChange>()
  private timer: Timer | null = null

  constructor(private readonly clock: Clock) {}

  beat(memberId: string, heartbeat: Heartbeat = noHeartbeat): void {
    const previous = this.lastBeat(memberId)
    this.lastBeats.delete(memberId)
    this.lastBeats.set(memberId, { ...heartbeat, atMs: this.clock.now() })
    this.timer ??= this.clock.at(this.clock.now() + heartbeatMs, () => this.removeExpired())
    if (previous && previous.roomId === heartbeat.roomId) return
    this.changed.emit({ memberId, isOnlineChanged: previous === null, rooms: roomsOf(previous, heartbeat) })
  }

  onChange(listener: (change: PresenceChange) => void): void {
    this.changed.listen(listener)
  }

  stop(): void {
    this.timer?.cancel()
  }

  isOnline(memberId: string): boolean {
    return this.lastBeat(memberId) !== null
  }

  isInRoom(memberId: string, roomId: string): boolean {
    return this.lastBeat(memberId)?.roomId === roomId
  }

  private lastBeat(memberId: string): Heartbeat | null {
    const beat = this.lastBeats.get(memberId)
    return beat && Math.abs(this.clock.now() - beat.atMs) < heartbeatMs ? beat : null
  }

  private removeExpired(): void {
    this.timer = null
    for (const [memberId, beat] of this.lastBeats) {
      const endsMs = beat.atMs + heartbeatMs
      if (this.clock.now() < endsMs) {
        this.timer = this.clock.at(endsMs, () => this.removeExpired())
        return
      }
      this.lastBeats.delete(memberId)
      this.changed.emit({ memberId, isOnlineChanged: true, rooms: roomsOf(beat) })
    }
  }
}

const roomsOf = (...heartbeats: (Heartbeat | null)[]): string[] =>
  heartbeats.flatMap((heartbeat) => heartbeat?.roomId ?? [])
