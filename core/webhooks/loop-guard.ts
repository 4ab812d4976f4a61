import type { AgentPair, WakesTable } from '../../data/tables/wakes.ts'
import type { Member } from '../access/member.ts'

/** `docs/webhooks.md#agents-that-wake-each-other` */
const maxTriggers = 20
const windowMs = 5 * 60 * 1000

/** The longest chain of agents in a place since a person last posted there. */
const maxHops = 12

export interface Conversation {
  id: string
  kind: 'room' | 'post' | 'document' | 'card' | 'ask'
}

/** Posted once until a person posts in the conversation. */
export interface LoopNotice {
  author: Member
  body: string
}

interface AgentTrigger {
  conversation: Conversation
  from: Member
  to: Member
  atMs: number
}

/**
 * A chain is one longer than the longest that triggered its last author. A pair at a limit stays blocked
 * until a person posts. Must be called inside the commit of the post.
 */
export class LoopGuard {
  constructor(private readonly wakes: WakesTable) {}

  reset({ id }: Conversation): void {
    this.wakes.forget(id)
  }

  /** Counts a trigger that is not blocked. `notice` is null if it was already posted. */
  check({ conversation, from, to, atMs }: AgentTrigger): { isBlocked: boolean; notice: LoopNotice | null } {
    const { id } = conversation
    const pair = pairOf(from.id, to.id)
    if (this.wakes.isBlocked(id, pair)) return { isBlocked: true, notice: null }
    const sinceMs = atMs - windowMs
    const hops = this.wakes.hops(id, from.id) + 1
    const reason =
      hops > maxHops
        ? `agents have triggered each other ${maxHops} times in a row since a person last wrote here`
        : this.wakes.count(id, pair, sinceMs) >= maxTriggers
          ? `they have woken each other ${maxTriggers} times within 5 minutes`
          : null
    if (reason === null) {
      this.wakes.add(id, pair, atMs, sinceMs)
      this.wakes.lengthen(id, to.id, hops)
      return { isBlocked: false, notice: null }
    }
    const isFirst = !this.wakes.hasBlocked(id)
    this.wakes.block(id, pair)
    return {
      isBlocked: true,
      notice: isFirst ? { author: to, body: noticeOf(conversation, [from, to], reason) } : null,
    }
  }
}

const pairOf = (oneId: string, otherId: string): AgentPair =>
  oneId < otherId ? [oneId, otherId] : [otherId, oneId]

const conversationWords = {
  room: { place: 'in this room', what: 'Messages, events', next: 'message' },
  post: { place: 'below this post', what: 'Comments', next: 'comment' },
  document: { place: 'below this document', what: 'Comments', next: 'comment' },
  card: { place: 'below this card', what: 'Comments', next: 'comment' },
  ask: { place: 'for this ask', what: 'Assignments', next: 'change' },
} as const

function noticeOf({ kind }: Conversation, [from, to]: readonly [Member, Member], reason: string): string {
  const { place, what, next } = conversationWords[kind]
  return (
    `Webhooks between ${from.name} and ${to.name} are paused ${place}, because ${reason}. ` +
    `${what} and the inbox go on as before. The next ${next} by a person resumes them.`
  )
}
