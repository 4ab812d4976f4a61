import type { Clock, Timer } from '../../time/clock.ts'

interface ScanSchedulerDeps {
  clock: Clock
  scanAll(): Promise<{ ingested: Promise<unknown> }>
  /** Scans folders (paths in the home) and all below them. */
  scanBelow(folders: readonly string[]): Promise<{ ingested: Promise<unknown> }>
  beforeScheduled: () => void
  onProblem: (message: string, error: unknown) => void
}

/** With more, everything is scanned. */
const maxDirtyFolders = 200

/** Marks within this time share a scan, such as those of one rename. */
const debounceMs = 30

/** One scan covers all marked folders. Scans take at most half of the time, however many hints arrive. */
export class ScanScheduler {
  private readonly dirtyFolders = new Set<string>()
  private isAllDirty = false
  private waiting: { resolve: () => void; reject: (error: unknown) => void }[] = []
  private running: Promise<void> | null = null
  private pauseUntilMs = 0
  private endPause: () => void = () => {}
  private scheduled: { timer: Timer; dueMs: number } | null = null
  private isStopped = false

  constructor(private readonly deps: ScanSchedulerDeps) {}

  /** Resolves when differences are ingested, or after `stop`. @throws a failure that has been reported */
  scan(): Promise<void> {
    if (this.isStopped) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.endPause()
      this.wake()
    })
  }

  markDirty(folder: string): void {
    this.dirtyFolders.add(folder)
    if (this.dirtyFolders.size > maxDirtyFolders) this.markAllDirty()
    else this.wake()
  }

  markAllDirty(): void {
    this.dirtyFolders.clear()
    this.isAllDirty = true
    this.wake()
  }

  /** @param withinMs until the first scan; one that is scheduled earlier remains */
  scheduleScans(withinMs: number, everyMs: number): void {
    const { clock, beforeScheduled } = this.deps
    const dueMs = clock.elapsed() + withinMs
    if (this.isStopped || (this.scheduled && this.scheduled.dueMs <= dueMs)) return
    this.scheduled?.timer.cancel()
    const timer = clock.after(withinMs, () => {
      const next = () => {
        this.scheduled = null
        this.scheduleScans(everyMs, everyMs)
      }
      beforeScheduled()
      this.scan().then(next, next)
    })
    this.scheduled = { timer, dueMs }
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.scheduled?.timer.cancel()
    this.endPause()
    await this.running
    for (const { resolve } of this.waiting.splice(0)) resolve()
  }

  private get isDue(): boolean {
    return this.waiting.length > 0 || this.isAllDirty || this.dirtyFolders.size > 0
  }

  private wake(): void {
    if (this.isStopped) return
    this.running ??= this.run().finally(() => {
      this.running = null
      if (this.isDue) this.wake()
    })
  }

  private async run(): Promise<void> {
    while (this.isDue && !this.isStopped) {
      if (this.waiting.length === 0) await this.pause()
      if (this.isStopped) return
      const startedMs = performance.now()
      await this.runScan()
      const endedMs = performance.now()
      this.pauseUntilMs = endedMs + (endedMs - startedMs)
    }
  }

  private async runScan(): Promise<void> {
    const waiting = this.waiting.splice(0)
    const folders = [...this.dirtyFolders]
    const isAll = this.isAllDirty || waiting.length > 0
    this.dirtyFolders.clear()
    this.isAllDirty = false
    try {
      const { ingested } = isAll ? await this.deps.scanAll() : await this.deps.scanBelow(folders)
      void ingested.then(() => {
        for (const { resolve } of waiting) resolve()
      })
    } catch (error) {
      this.deps.onProblem('The scan of the folders failed; it is tried again', error)
      for (const { reject } of waiting) reject(error)
    }
  }

  private pause(): Promise<void> {
    const pauseMs = Math.max(debounceMs, this.pauseUntilMs - performance.now())
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs).unref()
      this.endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
