import { Signal } from '../../data/signal.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireScope, requireTypist } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { TypingView } from './types.ts'

interface TypingDeps {
  clock: Clock
  memberships: Memberships
}

/** `docs/interface.md#limits` */
export const minSeconds = 5
export const maxSeconds = 120

/** Pages repeat the signal while the person types. */
const personSeconds = 6

export class TypingSignals {
  /** The end of each signal in Unix milliseconds, by room id, then by member id. */
  private readonly signals = new Map<string, Map<string, number>>()
  private readonly changed = new Signal<string>()
  private timer: Timer | null = null
  private timerMs = Number.POSITIVE_INFINITY

  constructor(private readonly deps: TypingDeps) {}

  /** @throws WorkspaceError `forbidden` for people and outside the room; `conflict` if it is archived */
  start(caller: Caller, room: string, ttlSeconds: number): { typing: true; until: number } {
    const roomId = this.requireAgentInRoom(caller, room)
    requireUnarchived(this.deps.memberships.require(roomId))
    if (!Number.isInteger(ttlSeconds) || ttlSeconds < minSeconds || ttlSeconds > maxSeconds) {
      throw new WorkspaceError(
        'bad_request',
        `ttlSeconds must be a whole number from ${minSeconds} to ${maxSeconds}.`,
      )
    }
    return { typing: true, until: this.begin(roomId, caller.member.id, ttlSeconds) }
  }

  startAsPerson(caller: Caller, room: string): void {
    this.begin(this.requireInRoom(caller, room), caller.member.id, personSeconds)
  }

  stopAsPerson(caller: Caller, room: string): void {
    this.end(this.requireInRoom(caller, room), caller.member.id)
  }

  stop(caller: Caller, room: string): void {
    this.end(this.requireAgentInRoom(caller, room), caller.member.id)
  }

  end(roomId: string, memberId: string): void {
    const signals = this.signals.get(roomId)
    if (!signals?.delete(memberId)) return
    if (signals.size === 0) this.signals.delete(roomId)
    this.changed.emit(roomId)
  }

  endAll(memberId: string): void {
    for (const roomId of [...this.signals.keys()]) this.end(roomId, memberId)
  }

  onChange(listener: (roomId: string) => void): void {
    this.changed.listen(listener)
  }

  close(): void {
    this.timer?.cancel()
  }

  membersOf(roomId: string, present: readonly Member[]): TypingView[] {
    const signals = this.signals.get(roomId)
    if (!signals) return []
    const nowMs = this.deps.clock.now()
    return present.flatMap(({ id, name }) => {
      const until = signals.get(id)
      return until !== undefined && until > nowMs ? [{ memberId: id, name, until }] : []
    })
  }

  private begin(roomId: string, memberId: string, seconds: number): number {
    const nowMs = this.deps.clock.now()
    const until = nowMs + seconds * 1000
    const signals = this.signals.get(roomId) ?? new Map<string, number>()
    const isNew = (signals.get(memberId) ?? 0) <= nowMs
    this.signals.set(roomId, signals.set(memberId, until))
    this.scheduleExpiry(until)
    if (isNew) this.changed.emit(roomId)
    return until
  }

  private requireInRoom(caller: Caller, room: string): string {
    requireScope(caller, 'rooms:write')
    return this.deps.memberships.requireIn(caller.member, room).id
  }

  private requireAgentInRoom(caller: Caller, room: string): string {
    requireScope(caller, 'rooms:write')
    const { memberships } = this.deps
    const { id } = memberships.require(room)
    requireTypist(caller.member)
    return memberships.requireIn(caller.member, id).id
  }

  private scheduleExpiry(timeMs: number): void {
    if (timeMs >= this.timerMs) return
    this.timer?.cancel()
    this.timerMs = timeMs
    this.timer = this.deps.clock.at(timeMs, () => this.removeExpired())
  }

  private removeExpired(): void {
    this.timerMs = Number.POSITIVE_INFINITY
    const nowMs = this.deps.clock.now()
    for (const [roomId, signals] of [...this.signals]) {
      for (const [memberId, until] of [...signals]) {
        if (until <= nowMs) this.end(roomId, memberId)
        else this.scheduleExpiry(until)
      }
    }
  }
}
