import type { Clock } from '../../core/clock.ts'
import type { RandomBytes } from '../../core/ids.ts'
import type { Names } from '../../core/mount/types.ts'
import { hrefOf } from './paths.ts'
import { DavRefusal } from './refusal.ts'

/** A lock as a client holds it (RFC 4918, 6). */
export interface Lock {
  token: string
  memberId: string
  names: Names
  /** Also over everything below. */
  isDeep: boolean
  isShared: boolean
  /** Who says to hold it, for people. */
  owner: { text: string; isAddress: boolean }
  seconds: number
  untilMs: number
}

const longestSeconds = 60 * 60
const mostOfMember = 200
const mostLocks = 5000

/**
 * Who has locked what. Locks hold off other programs of the mount, so that two people do not save over each other; they
 * are kept in memory, end by themselves, and bind neither the other interfaces nor the disk, where revisions are kept.
 */
export class Locks {
  private readonly clock: Clock
  private readonly random: RandomBytes
  private readonly byToken = new Map<string, Lock>()
  private readonly byPlace = new Map<string, Lock[]>()

  constructor(clock: Clock, random: RandomBytes) {
    this.clock = clock
    this.random = random
  }

  /** The locks that lie on a place: its own, and deep ones above it. */
  on(names: Names): Lock[] {
    const locks: Lock[] = []
    for (let length = 0; length <= names.length; length++) {
      const isOwn = length === names.length
      locks.push(...this.at(names.slice(0, length)).filter(({ isDeep }) => isOwn || isDeep))
    }
    return locks
  }

  /** The locks of what lies in a folder, at any depth. */
  within(names: Names): Lock[] {
    const prefix = `${keyOf(names)}/`
    return [...this.byPlace.keys()]
      .filter((key) => key.startsWith(prefix))
      .flatMap((key) => this.live(this.byPlace.get(key)!))
  }

  /** The locks of a place itself. */
  at(names: Names): Lock[] {
    return this.live(this.byPlace.get(keyOf(names)) ?? [])
  }

  /**
   * @throws DavRefusal 423 where another lock is in the way, 403 above the limits
   */
  add(wanted: Pick<Lock, 'memberId' | 'names' | 'isDeep' | 'isShared' | 'owner' | 'seconds'>): Lock {
    const { memberId, names, isDeep, isShared } = wanted
    const others = [...this.on(names), ...(isDeep ? this.within(names) : [])]
    const conflict = others.find((other) => !isShared || !other.isShared)
    if (conflict) {
      throw new DavRefusal(423, `${hrefOf(conflict.names, false)} is locked already.`, 'no-conflicting-lock')
    }
    this.forgetExpired()
    const own = [...this.byToken.values()].filter((lock) => lock.memberId === memberId).length
    if (own >= mostOfMember || this.byToken.size >= mostLocks) {
      throw new DavRefusal(
        403,
        `There are too many locks: a member may hold ${mostOfMember}. Unlock some first.`,
      )
    }
    const lock = { ...wanted, token: this.newToken(), untilMs: 0 }
    this.prolong(lock, wanted.seconds)
    this.byToken.set(lock.token, lock)
    this.byPlace.set(keyOf(names), [...this.at(names), lock])
    return lock
  }

  /** @param seconds as the client asks for them */
  prolong(lock: Lock, seconds: number): void {
    lock.seconds = Math.min(Math.max(seconds, 1), longestSeconds)
    lock.untilMs = this.clock.now() + lock.seconds * 1000
  }

  find(token: string): Lock | null {
    const lock = this.byToken.get(token)
    return lock && this.isLive(lock) ? lock : null
  }

  remove({ token, names }: Lock): void {
    this.byToken.delete(token)
    const others = (this.byPlace.get(keyOf(names)) ?? []).filter((lock) => lock.token !== token)
    if (others.length > 0) this.byPlace.set(keyOf(names), others)
    else this.byPlace.delete(keyOf(names))
  }

  /** What is gone has no locks. */
  removeWithin(names: Names): void {
    for (const lock of [...this.at(names), ...this.within(names)]) this.remove(lock)
  }

  private live(locks: Lock[]): Lock[] {
    return locks.filter((lock) => this.isLive(lock))
  }

  private isLive({ untilMs }: Lock): boolean {
    return untilMs > this.clock.now()
  }

  private forgetExpired(): void {
    for (const lock of [...this.byToken.values()]) if (!this.isLive(lock)) this.remove(lock)
  }

  /** A random UUID (RFC 9562, 5.4). */
  private newToken(): string {
    const bytes = Buffer.from(this.random(16))
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = bytes.toString('hex')
    return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
  }
}

/** Names that differ in case or normal form alone may be one file. */
const keyOf = (names: Names): string =>
  ['', ...names.map((name) => name.normalize('NFC').toLowerCase())].join('/')
