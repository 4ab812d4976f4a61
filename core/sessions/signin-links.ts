import type { Database } from '../../data/database.ts'
import type { SigninLinksTable } from '../../data/tables/signin-links.ts'
import type { Member } from '../access/member.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { RandomBytes } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import { signinPath } from '../paths.ts'
import type { Clock } from '../time/clock.ts'
import { hashOfToken, newToken } from './tokens.ts'

interface SigninLinksDeps {
  database: Database
  signinLinks: SigninLinksTable
  members: MemberStore
  clock: Clock
  random: RandomBytes
}

interface IssuedLink {
  path: string
  expiresMs: number
}

export const linkValidMs = 15 * 60 * 1000

export class SigninLinks {
  constructor(private readonly deps: SigninLinksDeps) {}

  issue(member: Member, validForMs = linkValidMs): Promise<IssuedLink> {
    return commitOrUnavailable(this.deps.database, () => {
      if (this.deps.members.find(member.id)?.status === 'active') return this.create(member, validForMs)
      throw new WorkspaceError('conflict', `${member.name} is deactivated. Activate the member first.`)
    })
  }

  create(member: Member, validForMs = linkValidMs): IssuedLink {
    const { clock, random, signinLinks } = this.deps
    const token = newToken(random)
    const nowMs = clock.now()
    const expiresMs = nowMs + validForMs
    signinLinks.trim(nowMs)
    signinLinks.insert({ hash: hashOfToken(token)!, memberId: member.id, expiresMs })
    return { path: signinPath(token), expiresMs }
  }

  count(memberId: string): number {
    return this.deps.signinLinks.count(memberId, this.deps.clock.now())
  }

  /** Does not use the link. Null if it is unknown, used or expired. */
  memberOf(token: string): Member | null {
    const { clock, members, signinLinks } = this.deps
    const hash = hashOfToken(token)
    const memberId = hash && signinLinks.memberOf(hash, clock.now())
    const member = memberId ? members.find(memberId) : null
    return member?.status === 'active' ? member : null
  }

  /** As `memberOf`, but uses the link. Must be called inside a commit. */
  redeem(token: string): Member | null {
    const member = this.memberOf(token)
    if (member) this.deps.signinLinks.remove(hashOfToken(token)!)
    return member
  }

  removeForMember(memberId: string): void {
    this.deps.signinLinks.removeOf(memberId)
  }
}
