import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Member } from '../access/member.ts'
import type { Secrets } from '../access/secrets.ts'
import type { MemberStore } from '../members/member-store.ts'

/** What the secret is for. */
const use = 'unsubscribe'

const tokenForm = /^(mem_[0-9a-z]{26})\.([\w-]{43})$/

interface UnsubscribingDeps {
  members: MemberStore
  secrets: Secrets
}

/**
 * The links with which a person ends the mail without signing in. Their tokens name the member and cannot be made up;
 * they are good for nothing else, and for good: a mail may be read years later.
 */
export class UnsubscribeLinks {
  private readonly deps: UnsubscribingDeps

  constructor(deps: UnsubscribingDeps) {
    this.deps = deps
  }

  /** To be called inside a commit. */
  tokenFor(memberId: string): string {
    return `${memberId}.${signature(memberId, this.deps.secrets.getOrCreate(use)).toString('base64url')}`
  }

  /** Whose mail a token ends; null: it is none of ours. */
  memberOf(token: string): Member | null {
    const [, memberId, signed] = tokenForm.exec(token) ?? []
    const secret = this.deps.secrets.find(use)
    if (memberId === undefined || signed === undefined || secret === null) return null
    const isOurs = timingSafeEqual(Buffer.from(signed, 'base64url'), signature(memberId, secret))
    return isOurs ? this.deps.members.find(memberId) : null
  }

  /** Ends the mail to the member whom a token names; safe to repeat. @returns false when the token is none of ours */
  async unsubscribe(token: string): Promise<boolean> {
    const member = this.memberOf(token)
    if (!member) return false
    if (member.emailNotifications) await this.deps.members.change(member.id, { emailNotifications: false })
    return true
  }
}

const signature = (memberId: string, secret: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${use}:${memberId}`).digest()
