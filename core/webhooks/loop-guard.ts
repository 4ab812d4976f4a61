import type { AgentPair, WakesTable } from '../../data/tables/wakes.ts'
import type { Member } from '../access/member.ts'

/** How often the same two agents may wake each other in one place within the window (`docs/webhooks.md#agents-that-wake-each-other`). */
const maxTriggers = 20
const windowMs = 5 * 60 * 1000

/** How many agents may be woken one by the other in a place since a person last spoke there. */
const maxHops = 12

/** Where agents speak: in a room, or below a post. */
export interface WakePlace {
  id: string
  kind: 'room' | 'post'
}

/** Said in the place, once until a person lifts it. */
export interface LoopNotice {
  /** Who says it. */
  author: Member
  body: string
}

/** One agent is about to be woken by what another says in a place. */
interface AgentTrigger {
  place: WakePlace
  from: Member
  to: Member
  atMs: number
}

/**
 * Keeps agents from waking each other for ever. A chain of agents is as long as the longest by which its last speaker was
 * woken, and one more; who speaks without having been woken begins one. A pair that has reached a limit stays held
 * back until a person speaks there. Each call belongs into the commit of what was said.
 */
export class LoopGuard {
  private readonly wakes: WakesTable

  constructor(wakes: WakesTable) {
    this.wakes = wakes
  }

  /** A person has spoken: whatever was held back flows again, and chains begin anew. */
  reset({ id }: WakePlace): void {
    this.wakes.forget(id)
  }

  /**
   * Counts a wake-up, unless it is one too many.
   * @returns whether it is held back, and what is to be said of it: null where that was said already
   */
  check({ place, from, to, atMs }: AgentTrigger): { isHeld: boolean; notice: LoopNotice | null } {
    const { id } = place
    const pair = pairOf(from.id, to.id)
    if (this.wakes.isHeld(id, pair)) return { isHeld: true, notice: null }
    const sinceMs = atMs - windowMs
    const hops = this.wakes.hops(id, from.id) + 1
    const tooMany =
      hops > maxHops
        ? `agents have triggered each other ${maxHops} times in a row since a person last wrote here`
        : this.wakes.count(id, pair, sinceMs) >= maxTriggers
          ? `they have woken each other ${maxTriggers} times within 5 minutes`
          : null
    if (tooMany === null) {
      this.wakes.add(id, pair, atMs, sinceMs)
      this.wakes.lengthen(id, to.id, hops)
      return { isHeld: false, notice: null }
    }
    const isFirst = !this.wakes.anyHeld(id)
    this.wakes.hold(id, pair)
    return {
      isHeld: true,
      notice: isFirst ? { author: to, body: noticeOf(place, [from, to], tooMany) } : null,
    }
  }
}

const pairOf = (oneId: string, otherId: string): AgentPair =>
  oneId < otherId ? [oneId, otherId] : [otherId, oneId]

const placeWords = {
  room: { place: 'in this room', what: 'Messages, events', next: 'message' },
  post: { place: 'below this post', what: 'Comments', next: 'comment' },
} as const

function noticeOf({ kind }: WakePlace, [from, to]: readonly [Member, Member], tooMany: string): string {
  const { place, what, next } = placeWords[kind]
  return (
    `Webhooks between ${from.name} and ${to.name} are paused ${place}, because ${tooMany}. ` +
    `${what} and the inbox go on as before. The next ${next} by a person resumes them.`
  )
}
