import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Member } from '../access/member.ts'
import type { Secrets } from '../access/secrets.ts'
import type { MemberStore } from '../members/member-store.ts'

const use = 'unsubscribe'

const tokenPattern = /^(mem_[0-9a-z]{26})\.([\w-]{43})$/

interface UnsubscribingDeps {
  members: MemberStore
  secrets: Secrets
}

/** Links that work without signing in. They never expire, because a mail may be read years later. */
export class UnsubscribeLinks {
  constructor(private readonly deps: UnsubscribingDeps) {}

  tokenFor(memberId: string): string {
    return `${memberId}.${sign(memberId, this.deps.secrets.getOrCreate(use)).toString('base64url')}`
  }

  memberOf(token: string): Member | null {
    const [, memberId, signature] = tokenPattern.exec(token) ?? []
    const secret = this.deps.secrets.find(use)
    if (memberId === undefined || signature === undefined || secret === null) return null
    const isValid = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(memberId, secret))
    return isValid ? this.deps.members.find(memberId) : null
  }

  /** Idempotent. Returns false for an invalid token. */
  async unsubscribe(token: string): Promise<boolean> {
    const member = this.memberOf(token)
    if (!member) return false
    if (member.emailNotifications) await this.deps.members.change(member.id, { emailNotifications: false })
    return true
  }
}

const sign = (memberId: string, secret: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${use}:${memberId}`).digest()
