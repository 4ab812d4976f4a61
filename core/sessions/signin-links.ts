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

/** A link that was made. */
interface IssuedLink {
  /** The page that it opens, without the base address. It is in no other answer ever again. */
  path: string
  /** Unix time, milliseconds. */
  expiresMs: number
}

/** How long a link is good, in milliseconds. */
export const linkValidMs = 15 * 60 * 1000

/** Links that sign a member in with a browser, each good once and for a short time. Only their hashes are kept. */
export class SigninLinks {
  private readonly deps: SigninLinksDeps

  constructor(deps: SigninLinksDeps) {
    this.deps = deps
  }

  /** @param goodForMs in milliseconds @throws WorkspaceError `conflict` for a deactivated member */
  issue(member: Member, goodForMs = linkValidMs): Promise<IssuedLink> {
    return commitOrUnavailable(this.deps.database, () => {
      if (this.deps.members.find(member.id)?.status === 'active') return this.create(member, goodForMs)
      throw new WorkspaceError('conflict', `${member.name} is deactivated. Activate the member first.`)
    })
  }

  /** As `issue`, within a commit, for a member who is active. */
  create(member: Member, goodForMs = linkValidMs): IssuedLink {
    const { clock, random, signinLinks } = this.deps
    const token = newToken(random)
    const nowMs = clock.now()
    const expiresMs = nowMs + goodForMs
    signinLinks.trim(nowMs)
    signinLinks.insert({ hash: hashOfToken(token)!, memberId: member.id, expiresMs })
    return { path: signinPath(token), expiresMs }
  }

  /** How many links of a member are good now. */
  count(memberId: string): number {
    return this.deps.signinLinks.count(memberId, this.deps.clock.now())
  }

  /** Whom a link signs in, without using it up; null: it is unknown, was used, or its time is over. */
  memberOf(token: string): Member | null {
    const { clock, members, signinLinks } = this.deps
    const hash = hashOfToken(token)
    const memberId = hash && signinLinks.memberOf(hash, clock.now())
    const member = memberId ? members.find(memberId) : null
    return member?.status === 'active' ? member : null
  }

  /** As `memberOf`, within a commit: nobody else can use the link after this. */
  redeem(token: string): Member | null {
    const member = this.memberOf(token)
    if (member) this.deps.signinLinks.remove(hashOfToken(token)!)
    return member
  }

  /** Within a commit: no link signs this member in any more. */
  removeForMember(memberId: string): void {
    this.deps.signinLinks.removeOf(memberId)
  }
}
