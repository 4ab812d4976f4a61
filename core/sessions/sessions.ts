import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { SessionRow, SessionsTable } from '../../data/tables/sessions.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireUnlimitedSignIn } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import { defaultScopes } from '../members/scopes.ts'
import type { Clock } from '../time/clock.ts'
import type { SigninLinks } from './signin-links.ts'
import { csrfTokenOf, hashOfToken, maskToken, newToken } from './tokens.ts'

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

export interface OpenSession {
  id: string
  caller: Caller
  csrfToken: string
}

/** Times are Unix milliseconds. */
export interface SessionView {
  id: string
  device: string
  createdAt: number
  lastUsedAt: number
}

export interface SignInClient {
  userAgent: string
  formerToken: string | null
}

const idleMs = 30 * 24 * 60 * 60 * 1000
/** A commit for every request would be too expensive. */
const lastUsedIntervalMs = 10 * 60 * 1000
/** A further sign-in ends the least recently used session. */
const maxPerMember = 50

export class Sessions {
  /** By id: uses being stored, or that could not be. */
  private readonly pendingLastUsedMs = new Map<string, number>()

  readonly ended = new Signal()

  constructor(private readonly deps: SessionsDeps) {}

  find(token: string): OpenSession | null {
    const hash = hashOfToken(token)
    const row = hash && this.deps.sessions.findByHash(hash)
    const caller = row ? this.callerOf(row) : null
    if (!row || !caller) return null
    this.recordUse(row)
    return { id: row.id, caller, csrfToken: maskToken(csrfTokenOf(token), this.deps.random) }
  }

  /** Returns null if the session of a held request has ended. */
  refreshSession({ keyId }: Caller): Caller | null {
    const row = this.deps.sessions.find(keyId)
    return row ? this.callerOf(row) : null
  }

  /** Returns the only copy of the token; null for an invalid key. @throws `forbidden` for a limited key */
  async signInByKey(key: string, browser: SignInClient): Promise<string | null> {
    const caller = this.deps.members.authenticate(key)
    if (!caller) return null
    requireUnlimitedSignIn(caller)
    return commitOrUnavailable(this.deps.database, () => this.createSession(caller.member, browser))
  }

  /** Uses the link up. Returns null for an invalid link. */
  signInByLink(linkToken: string, browser: SignInClient): Promise<string | null> {
    return commitOrUnavailable(this.deps.database, () => {
      const member = this.deps.signinLinks.redeem(linkToken)
      return member && this.createSession(member, browser)
    })
  }

  /** For a member who has proved their identity in another way. */
  signIn(member: Member, browser: SignInClient): Promise<string> {
    return commitOrUnavailable(this.deps.database, () => this.createSession(member, browser))
  }

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

  async end(member: Member, id: string): Promise<void> {
    const { database, sessions } = this.deps
    const existed = await commitOrUnavailable(database, () => sessions.remove(id, member.id))
    if (!existed) throw new WorkspaceError('not_found', 'This session has already ended.')
    this.ended.emit()
  }

  /** Also ends sign-in links. Keys stay. */
  async endAll(member: Member): Promise<void> {
    const { database, sessions, signinLinks } = this.deps
    await commitOrUnavailable(database, () => {
      sessions.removeOf(member.id)
      signinLinks.removeForMember(member.id)
    })
    this.ended.emit()
  }

  /** Must be called inside a commit. Returns the token. */
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
    return Math.max(lastUsedMs, this.pendingLastUsedMs.get(id) ?? 0)
  }

  /** In its own commit, because people may read for weeks without a write. */
  private recordUse({ id, lastUsedMs }: SessionRow): void {
    const { clock, database, onProblem, sessions } = this.deps
    const nowMs = clock.now()
    if (Math.abs(nowMs - this.usedMs(id, lastUsedMs)) < lastUsedIntervalMs) return
    this.pendingLastUsedMs.set(id, nowMs)
    database
      .commit(() => sessions.touch(id, nowMs))
      .then(
        () => this.pendingLastUsedMs.delete(id),
        (error) => onProblem('The last use of a session could not be recorded; retrying', error),
      )
  }
}

/** By user agent. Each also claims to be those below it. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/\d/],
  ['Opera', /\bOPR\/\d/],
  ['Samsung Internet', /\bSamsungBrowser\/\d/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/\d/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/\d/],
  ['Safari', /\bSafari\/\d/],
]

/** By user agent. Android claims to be Linux, and an iPhone a Mac. */
const systems: readonly [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
]

function deviceOf(userAgent: string): string {
  const nameIn = (list: typeof browsers) => list.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = nameIn(browsers)
  const system = nameIn(systems)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  // Programs name themselves first, such as `curl/8.5.0`.
  const program = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/.exec(userAgent)?.[0]
  return program ?? 'An unknown browser'
}
