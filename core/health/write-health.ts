import { failureReason } from '../../data/failures.ts'
import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { Problem } from './types.ts'

export const writeKinds = ['database', 'deferred', 'bytes', 'files', 'flush'] as const
type WriteKind = (typeof writeKinds)[number]

const problemText: Record<WriteKind, string> = {
  database: 'Nothing can be written to the database',
  deferred: 'Deferred writes to the database fail',
  bytes: 'The bytes of files cannot be written',
  files: 'Files cannot be placed',
  flush: 'Files cannot be made durable',
}

const remedies: [part: string, mend: string][] = [
  ['full', 'free disk space; the server then recovers by itself'],
  ['quota', 'raise the quota or free space; the server then recovers by itself'],
  ['read-only', 'mount the disk for writing; the server then recovers by itself'],
  ['too many files open', 'raise the limit of open files (ulimit -n), and restart the server'],
  [
    'deleted or replaced',
    'stop the server, put the database file back or run workroom repair, and start it again',
  ],
  ['damaged', 'stop the server, and run workroom repair'],
  ['another process', 'end the process that holds the database'],
  ['input/output error', 'check the disk; the server recovers when the disk works'],
  ['reported an error', 'check the disk; the server recovers when the disk works'],
]
const defaultMend = 'read the log of the server'

/** A failure is followed by a small write after this time, unless another write comes first. */
const probeAfterMs = 10_000

/** How long a failed deferred write is reported: it is lost, whatever succeeds later. */
const deferredVisibleMs = 60 * 60 * 1000

interface WriteHealthDeps {
  probe: () => Promise<void>
}

/** A failure counts until a write of its kind succeeds. If nobody writes, a small write is tried. */
export class WriteHealth {
  private readonly failures = new Map<WriteKind, string>()
  private deferredUntilMs = 0
  private readonly counts = new Map<WriteKind, number>()
  private deps: WriteHealthDeps | null = null
  private timer: Timer | null = null
  private isStopped = false

  constructor(private readonly clock: Clock) {}

  start(deps: WriteHealthDeps): void {
    this.deps = deps
    this.scheduleProbe()
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }

  recordFailure(kind: WriteKind, error: unknown): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    this.failures.set(kind, reasonOf(error))
    if (kind === 'deferred') this.deferredUntilMs = this.clock.elapsed() + deferredVisibleMs
    else this.scheduleProbe()
  }

  recordSuccess(kind: WriteKind): void {
    this.failures.delete(kind)
  }

  problems(): Problem[] {
    const failing = [...this.failures].filter(([kind]) => this.isFailing(kind))
    return failing.map(([kind, reason]) => ({
      problem: `${problemText[kind]}: ${reason}`,
      mend: remedies.find(([part]) => reason.includes(part))?.[1] ?? defaultMend,
    }))
  }

  isFailing(kind: WriteKind): boolean {
    return this.failures.has(kind) && (kind !== 'deferred' || this.clock.elapsed() < this.deferredUntilMs)
  }

  count(kind: WriteKind): number {
    return this.counts.get(kind) ?? 0
  }

  private isAnyFailing(): boolean {
    return [...this.failures.keys()].some((kind) => kind !== 'deferred')
  }

  private scheduleProbe(): void {
    if (this.timer || this.isStopped || !this.deps || !this.isAnyFailing()) return
    const { probe } = this.deps
    this.timer = this.clock.after(probeAfterMs, () => {
      probe()
        .catch(() => {})
        .finally(() => {
          this.timer = null
          this.scheduleProbe()
        })
    })
  }
}

const reasonOf = (error: unknown): string =>
  failureReason(error) ?? (error instanceof Error ? error.message : String(error))

/** Errors of the disk as a whole; others concern one path. */
const diskErrnos = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE'])
/** For the folder to which all bytes are written first. */
const stagingErrnos = new Set([...diskErrnos, 'EACCES', 'EPERM'])

export function trackTreeHealth(tree: Tree, health: WriteHealth): Tree {
  const recordFailure = (kind: WriteKind, error: unknown) => {
    const isOfDisk =
      error instanceof DiskError && (kind === 'bytes' ? stagingErrnos : diskErrnos).has(error.errno)
    if (isOfDisk) health.recordFailure(kind, error)
  }
  const track =
    <Arguments extends unknown[], Result>(kind: WriteKind, write: (...args: Arguments) => Result) =>
    (...args: Arguments): Result => {
      try {
        const result = write(...args)
        health.recordSuccess(kind)
        return result
      } catch (error) {
        recordFailure(kind, error)
        throw error
      }
    }
  const trackAsync =
    <Arguments extends unknown[], Result>(kind: WriteKind, write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        const result = await write(...args)
        health.recordSuccess(kind)
        return result
      } catch (error) {
        recordFailure(kind, error)
        throw error
      }
    }
  return {
    ...tree,
    stage: track('bytes', tree.stage),
    receive: trackAsync('bytes', tree.receive),
    place: track('files', tree.place),
    placeNew: track('files', tree.placeNew),
    move: track('files', tree.move),
    remove: track('files', tree.remove),
    removeIfUnchanged: track('files', tree.removeIfUnchanged),
    makeFolder: track('files', tree.makeFolder),
    flush: trackAsync('flush', tree.flush),
    flushContent: trackAsync('flush', tree.flushContent),
    flushName: trackAsync('flush', tree.flushName),
  }
}
