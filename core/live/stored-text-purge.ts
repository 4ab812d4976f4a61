import type { Database } from '../../data/database.ts'
import type { LiveTextsTable } from '../../data/tables/live-texts.ts'
import type { Clock, Timer } from '../time/clock.ts'

interface StoredTextPurgeDeps {
  clock: Clock
  database: Database
  liveTexts: Pick<LiveTextsTable, 'purge'>
  onProblem(message: string, error: unknown): void
}

/** Clients that reconnect within this time can resume. */
const retentionMs = 24 * 60 * 60 * 1000
const purgeEveryMs = 60 * 60 * 1000

/** Removes, once an hour, stored texts that no client can resume any more. */
export class StoredTextPurge {
  private timer: Timer | null = null
  private isStopped = false

  constructor(private readonly deps: StoredTextPurgeDeps) {}

  start(): void {
    const { clock, database, liveTexts, onProblem } = this.deps
    const beforeMs = clock.retentionCutoff(retentionMs)
    database
      .commit(() => liveTexts.purge(beforeMs), 'afterCommit')
      .catch((error) => onProblem('Old live texts could not be removed; this is tried again', error))
    if (!this.isStopped) this.timer = clock.after(purgeEveryMs, () => this.start())
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }
}
