import type { Database } from '../../data/database.ts'
import type { SessionRow, SessionsTable } from '../../data/tables/sessions.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireUnlimitedSignIn } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import { defaultScopes } from '../members/scopes.ts'
import type { Clock } from '../time/clock.ts'
import { deviceOf } from './device.ts'
import type { SigninLinks } from './signin-links.ts'
import { csrfTokenOf, hashOfToken, newToken } from './tokens.ts'

interface SessionsDeps {
  database: Database
  sessions: SessionsTable
  signinLinks: SigninLinks
  members: MemberStore
  clock: Clock
  random: RandomBytes
  newId: NewId
  onProblem: (message: string, error?: unknown) => void
}

/** A session that a browser has shown its token of. */
export interface OpenSession {
  id: string
  /** Whom its requests act as: its member, with all that their kind may do. */
  caller: Caller
  /** What a change that its pages ask for has to carry. */
  csrfToken: string
}

/** A session as its member is shown it. Times are Unix milliseconds. */
export interface SessionView {
  id: string
  /** Browser and system, such as `Firefox on Linux`. */
  device: string
  createdAt: number
  /** To some ten minutes. */
  lastUsedAt: number
}

/** Where somebody signs in. */
export interface SignInClient {
  /** The header `User-Agent`, or `''`. */
  userAgent: string
  /** The token that it has from before: that session ends as the new one begins. */
  formerToken: string | null
}

/** A session that is not used for so long ends. */
const idleMs = 30 * 24 * 60 * 60 * 1000
/** A commit for every request would be too dear. */
const useIsNotedEveryMs = 10 * 60 * 1000
/** The one used longest ago ends when a member signs in once more. */
const maxPerMember = 50

/** Members who are signed in with a browser. A session lasts until it is ended, is idle for 30 days, or its member is deactivated. */
export class Sessions {
  private readonly deps: SessionsDeps
  /** By id: uses that are being written down, or could not be. */
  private readonly lastUsedNotedMs = new Map<string, number>()

  constructor(deps: SessionsDeps) {
    this.deps = deps
  }

  /** The session that a token opens; null: none, any more or at all. */
  find(token: string): OpenSession | null {
    const hash = hashOfToken(token)
    const row = hash && this.deps.sessions.findByHash(hash)
    const caller = row ? this.callerOf(row) : null
    if (!row || !caller) return null
    this.noteUse(row)
    return { id: row.id, caller, csrfToken: csrfTokenOf(token) }
  }

  /** Whom the session of a request that has been held stands for by now; null when it has ended. */
  refreshSession({ keyId }: Caller): Caller | null {
    const row = this.deps.sessions.find(keyId)
    return row ? this.callerOf(row) : null
  }

  /**
   * Signs in whoever has a key.
   * @returns the session's token, which is nowhere else; null where the key is not valid
   * @throws WorkspaceError `forbidden` for a key that is limited to some scopes
   */
  async signInByKey(key: string, browser: SignInClient): Promise<string | null> {
    const caller = this.deps.members.authenticate(key)
    if (!caller) return null
    requireUnlimitedSignIn(caller)
    return commitOrUnavailable(this.deps.database, () => this.createSession(caller.member, browser))
  }

  /** Signs in whoever has a link, which is used up. @returns as `signInByKey`; null where the link is not good */
  signInByLink(linkToken: string, browser: SignInClient): Promise<string | null> {
    return commitOrUnavailable(this.deps.database, () => {
      const member = this.deps.signinLinks.redeem(linkToken)
      return member && this.createSession(member, browser)
    })
  }

  /** A member's sessions; those used last come first. */
  list(member: Member): SessionView[] {
    return this.deps.sessions
      .ofMember(member.id)
      .filter((row) => this.callerOf(row) !== null)
      .map(({ id, device, createdMs, lastUsedMs }) => ({
        id,
        device,
        createdAt: createdMs,
        lastUsedAt: this.usedMs(id, lastUsedMs),
      }))
  }

  /** Ends one of a member's sessions at once. @throws WorkspaceError `not_found`, also for one of somebody else */
  async end(member: Member, id: string): Promise<void> {
    const { database, sessions } = this.deps
    const wasThere = await commitOrUnavailable(database, () => sessions.remove(id, member.id))
    if (!wasThere) throw new WorkspaceError('not_found', 'This session has ended already.')
  }

  /** Ends all of a member's sessions, and the links that would begin another. Keys stay as they are. */
  endAll(member: Member): Promise<void> {
    const { database, sessions, signinLinks } = this.deps
    return commitOrUnavailable(database, () => {
      sessions.removeOf(member.id)
      signinLinks.removeForMember(member.id)
    })
  }

  /** Within a commit. @returns the token */
  private createSession(member: Member, { userAgent, formerToken }: SignInClient): string {
    const { clock, newId, random, sessions } = this.deps
    const nowMs = clock.now()
    const former = formerToken === null ? null : hashOfToken(formerToken)
    if (former) sessions.removeByHash(former)
    sessions.trim(clock.retentionCutoff(idleMs))
    const token = newToken(random)
    sessions.insert({
      id: newId('ses'),
      memberId: member.id,
      hash: hashOfToken(token)!,
      device: deviceOf(userAgent),
      createdMs: nowMs,
      lastUsedMs: nowMs,
    })
    sessions.removeBeyond(member.id, maxPerMember)
    return token
  }

  private callerOf({ id, memberId, createdMs, lastUsedMs }: SessionRow): Caller | null {
    const member = this.deps.members.find(memberId)
    const isIdle = this.deps.clock.now() - this.usedMs(id, lastUsedMs) >= idleMs
    if (member?.status !== 'active' || isIdle) return null
    return { member, keyId: id, scopes: new Set(defaultScopes(member.type)), signedInMs: createdMs }
  }

  private usedMs(id: string, lastUsedMs: number): number {
    return Math.max(lastUsedMs, this.lastUsedNotedMs.get(id) ?? 0)
  }

  /** Not with the next commit, whenever that is: people may read for weeks and write nothing. */
  private noteUse({ id, lastUsedMs }: SessionRow): void {
    const { clock, database, onProblem, sessions } = this.deps
    const nowMs = clock.now()
    if (Math.abs(nowMs - this.usedMs(id, lastUsedMs)) < useIsNotedEveryMs) return
    this.lastUsedNotedMs.set(id, nowMs)
    database
      .commit(() => sessions.touch(id, nowMs))
      .then(
        () => this.lastUsedNotedMs.delete(id),
        (error) => onProblem('The last use of a session could not be recorded; retrying', error),
      )
  }
}
