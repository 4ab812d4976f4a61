import type { RandomBytes } from '../../core/ids.ts'
import type { LockStore, MountLock } from '../../core/mount/lock-store.ts'
import type { PathSegments } from '../../core/mount/types.ts'
import type { Clock } from '../../core/time/clock.ts'
import { DavError } from './dav-error.ts'
import { hrefOf } from './paths.ts'

export type Lock = MountLock

const maxSeconds = 60 * 60
const maxLocksPerMember = 200
const maxLocks = 5000

/**
 * Locks bind only programs on the mount, not other interfaces or the disk. They survive restarts and expire.
 */
export class DavLocks {
  private readonly clock: Clock
  private readonly random: RandomBytes
  private readonly store: LockStore
  private readonly byToken = new Map<string, Lock>()
  private readonly byPath = new Map<string, Lock[]>()

  constructor({ clock, random, store }: { clock: Clock; random: RandomBytes; store: LockStore }) {
    this.clock = clock
    this.random = random
    this.store = store
    for (const lock of store.all()) this.insert(lock)
  }

  on(names: PathSegments): Lock[] {
    const locks: Lock[] = []
    if (this.byPath.size === 0) return locks
    for (let length = 0; length <= names.length; length++) {
      const isOwn = length === names.length
      locks.push(...this.at(names.slice(0, length)).filter(({ isDeep }) => isOwn || isDeep))
    }
    return locks
  }

  within(names: PathSegments): Lock[] {
    const prefix = `${keyOf(names)}/`
    return [...this.byPath.keys()]
      .filter((key) => key.startsWith(prefix))
      .flatMap((key) => this.withoutExpired(this.byPath.get(key)!))
  }

  at(names: PathSegments): Lock[] {
    return this.withoutExpired(this.byPath.get(keyOf(names)) ?? [])
  }

  /** @throws DavError 423 for a conflicting lock, 403 above the limits; WorkspaceError `unavailable` */
  async add(
    request: Pick<Lock, 'memberId' | 'names' | 'isDeep' | 'isShared' | 'owner' | 'seconds'>,
  ): Promise<Lock> {
    const { memberId, names, isDeep, isShared } = request
    const overlapping = [...this.on(names), ...(isDeep ? this.within(names) : [])]
    const conflict = overlapping.find((other) => !isShared || !other.isShared)
    if (conflict) {
      throw new DavError(423, `${hrefOf(conflict.names, false)} is locked already.`, 'no-conflicting-lock')
    }
    this.forgetExpired()
    const ownCount = [...this.byToken.values()].filter((lock) => lock.memberId === memberId).length
    if (ownCount >= maxLocksPerMember || this.byToken.size >= maxLocks) {
      throw new DavError(403, `Too many locks: a member may have ${maxLocksPerMember}. Release some first.`)
    }
    const lock = { ...request, token: this.newToken(), ...this.timeoutOf(request.seconds) }
    this.insert(lock)
    try {
      await this.store.put([lock])
    } catch (error) {
      this.forget(lock)
      throw error
    }
    return lock
  }

  /** @throws WorkspaceError `unavailable` */
  async refresh(locks: readonly Lock[], seconds: number): Promise<void> {
    for (const lock of locks) Object.assign(lock, this.timeoutOf(seconds))
    await this.store.put(locks)
  }

  find(token: string): Lock | null {
    const lock = this.byToken.get(token)
    return lock && this.isLive(lock) ? lock : null
  }

  async remove(lock: Lock): Promise<void> {
    this.forget(lock)
    await this.store.remove([lock])
  }

  /** Never fails: locks that stay in the database expire. */
  async removeWithin(names: PathSegments): Promise<void> {
    const locks = [...this.at(names), ...this.within(names)]
    for (const lock of locks) this.forget(lock)
    await this.store.remove(locks).catch(() => {})
  }

  private insert(lock: Lock): void {
    this.byToken.set(lock.token, lock)
    this.byPath.set(keyOf(lock.names), [...this.at(lock.names), lock])
  }

  private forget({ token, names }: Lock): void {
    this.byToken.delete(token)
    const remaining = (this.byPath.get(keyOf(names)) ?? []).filter((lock) => lock.token !== token)
    if (remaining.length > 0) this.byPath.set(keyOf(names), remaining)
    else this.byPath.delete(keyOf(names))
  }

  private timeoutOf(requestedSeconds: number): Pick<Lock, 'seconds' | 'untilMs'> {
    const seconds = Math.min(Math.max(requestedSeconds, 1), maxSeconds)
    return { seconds, untilMs: this.clock.now() + seconds * 1000 }
  }

  private withoutExpired(locks: Lock[]): Lock[] {
    return locks.filter((lock) => this.isLive(lock))
  }

  private isLive({ untilMs }: Lock): boolean {
    return untilMs > this.clock.now()
  }

  private forgetExpired(): void {
    for (const lock of [...this.byToken.values()]) if (!this.isLive(lock)) this.forget(lock)
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

/** Names that differ only in their Unicode normal form mean one file. */
const keyOf = (names: PathSegments): string => ['', ...names.map((name) => name.normalize('NFC'))].join('/')
