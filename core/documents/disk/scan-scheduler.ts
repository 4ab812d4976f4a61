interface PassesDeps {
  all(): Promise<{ taken: Promise<unknown> }>
  /** Scans folders (paths in the home) and all below them. */
  below(folders: readonly string[]): Promise<{ taken: Promise<unknown> }>
  beforeRegular: () => void
  onProblem: (message: string, error: unknown) => void
}

/** With more, everything is scanned. */
const maxMarked = 200

/** Marks within this time share a scan, such as those of one rename. */
const debounceMs = 30

/** One scan covers all marked folders. Scans take at most half of the time, however many hints arrive. */
export class ScanScheduler {
  private readonly deps: PassesDeps
  private readonly marked = new Set<string>()
  private isAllMarked = false
  private waiting: { resolve: () => void; reject: (error: unknown) => void }[] = []
  private running: Promise<void> | null = null
  private restUntilMs = 0
  private endRest: () => void = () => {}
  private periodic: { timer: NodeJS.Timeout; dueMs: number } | null = null
  private isStopped = false

  constructor(deps: PassesDeps) {
    this.deps = deps
  }

  /** Resolves when differences are ingested, or after `stop`. @throws a failure that has been reported */
  scan(): Promise<void> {
    if (this.isStopped) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.endRest()
      this.wake()
    })
  }

  markDirty(folder: string): void {
    this.marked.add(folder)
    if (this.marked.size > maxMarked) this.markAllDirty()
    else this.wake()
  }

  markAllDirty(): void {
    this.marked.clear()
    this.isAllMarked = true
    this.wake()
  }

  /** @param withinMs until the first scan; one that is scheduled earlier remains */
  scanFolder(withinMs: number, everyMs: number): void {
    const dueMs = performance.now() + withinMs
    if (this.isStopped || (this.periodic && this.periodic.dueMs <= dueMs)) return
    if (this.periodic) clearTimeout(this.periodic.timer)
    const timer = setTimeout(() => {
      const next = () => {
        this.periodic = null
        this.scanFolder(everyMs, everyMs)
      }
      this.deps.beforeRegular()
      this.scan().then(next, next)
    }, withinMs).unref()
    this.periodic = { timer, dueMs }
  }

  async stop(): Promise<void> {
    this.isStopped = true
    if (this.periodic) clearTimeout(this.periodic.timer)
    this.endRest()
    await this.running
    for (const { resolve } of this.waiting.splice(0)) resolve()
  }

  private get isDue(): boolean {
    return this.waiting.length > 0 || this.isAllMarked || this.marked.size > 0
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
      const begunMs = performance.now()
      await this.runScan()
      const endedMs = performance.now()
      this.restUntilMs = endedMs + (endedMs - begunMs)
    }
  }

  private async runScan(): Promise<void> {
    const waiting = this.waiting.splice(0)
    const folders = [...this.marked]
    const isAll = this.isAllMarked || waiting.length > 0
    this.marked.clear()
    this.isAllMarked = false
    try {
      const { taken } = isAll ? await this.deps.all() : await this.deps.below(folders)
      void taken.then(() => {
        for (const { resolve } of waiting) resolve()
      })
    } catch (error) {
      this.deps.onProblem('The scan of the folders failed; it is tried again', error)
      for (const { reject } of waiting) reject(error)
    }
  }

  private pause(): Promise<void> {
    const restMs = Math.max(debounceMs, this.restUntilMs - performance.now())
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, restMs).unref()
      this.endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
