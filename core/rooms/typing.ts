import { requireScope, requireTypist } from '../access.ts'
import type { Clock } from '../clock.ts'
import { WorkspaceError } from '../errors.ts'
import type { Caller, Member } from '../members/types.ts'
import type { Memberships } from './memberships.ts'
import type { TypingView } from './types.ts'

/** How long a signal may be asked to last, in seconds (`interface.md`, Limits). */
export const shortestSeconds = 5
export const longestSeconds = 120

/** Which agents are writing in which room: signals that end by themselves, kept in memory alone. */
export class Typing {
  private readonly clock: Clock
  private readonly memberships: Memberships
  /** By room id, then by member id: when the signal ends, Unix milliseconds. */
  private readonly signals = new Map<string, Map<string, number>>()
  private nextSweepMs = 0

  constructor(parts: { clock: Clock; memberships: Memberships }) {
    this.clock = parts.clock
    this.memberships = parts.memberships
  }

  /**
   * Says that an agent is writing in a room, or goes on to.
   * @throws WorkspaceError `not_found`; `forbidden` for people and for those not in the room; `bad_request` for a
   *   time that cannot be
   */
  start(caller: Caller, room: string, ttlSeconds: number): { typing: true; until: number } {
    const roomId = this.enter(caller, room)
    if (!Number.isInteger(ttlSeconds) || ttlSeconds < shortestSeconds || ttlSeconds > longestSeconds) {
      throw new WorkspaceError(
        'bad_request',
        `ttlSeconds must be a whole number from ${shortestSeconds} to ${longestSeconds}.`,
      )
    }
    this.sweep()
    const until = this.clock.now() + ttlSeconds * 1000
    const signals = this.signals.get(roomId) ?? new Map<string, number>()
    this.signals.set(roomId, signals.set(caller.member.id, until))
    return { typing: true, until }
  }

  /** Ends the caller's signal in a room, where there is one. @throws WorkspaceError as `start` */
  stop(caller: Caller, room: string): void {
    this.end(this.enter(caller, room), caller.member.id)
  }

  /** Ends a member's signal in a room: they have said what they were writing, or are gone. */
  end(roomId: string, memberId: string): void {
    this.signals.get(roomId)?.delete(memberId)
  }

  /** Ends all signals of a member who is active no more. */
  endAll(memberId: string): void {
    for (const signals of this.signals.values()) signals.delete(memberId)
  }

  /** Who is writing in a room at this moment. @param present the members in the room */
  in(roomId: string, present: readonly Member[]): TypingView[] {
    const signals = this.signals.get(roomId)
    if (!signals) return []
    const nowMs = this.clock.now()
    return present.flatMap(({ id, name }) => {
      const until = signals.get(id)
      return until !== undefined && until > nowMs ? [{ memberId: id, name, until }] : []
    })
  }

  private enter(caller: Caller, room: string): string {
    requireScope(caller, 'rooms:write')
    const { id } = this.memberships.require(room)
    requireTypist(caller.member)
    return this.memberships.requireIn(caller.member, id).id
  }

  /** Forgets signals that have ended, now and then, so that those of rooms nobody looks at do not pile up. */
  private sweep(): void {
    const nowMs = this.clock.now()
    if (nowMs < this.nextSweepMs) return
    this.nextSweepMs = nowMs + longestSeconds * 1000
    for (const [roomId, signals] of this.signals) {
      for (const [memberId, until] of signals) if (until <= nowMs) signals.delete(memberId)
      if (signals.size === 0) this.signals.delete(roomId)
    }
  }
}
