import type { Database } from '../../data/database.ts'
import type { Git } from '../../data/outbound/git.ts'
import type { RepositoriesTable, RepositoryRow } from '../../data/tables/repositories.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { problemOf } from './problems.ts'
import { parseStoredSource } from './source.ts'

interface RefreshingDeps {
  database: Database
  clock: Clock
  repositories: RepositoriesTable
  git: Git
  onRefreshed: (row: RepositoryRow) => Promise<void>
  onProblem: (message: string, error?: unknown) => void
}

export const refreshMs = 10 * 60 * 1000

/** A read of an older mirror refreshes it. A local folder is fetched almost instantly. */
const freshMs = { folder: 5_000, address: 60_000 }

/** Doubles with each failure, up to the maximum. */
const firstRetryMs = 60_000
const maxRetryMs = 60 * 60 * 1000

const maxConcurrentFetches = 2

/** A failure leaves the mirror as it was, with the problem. */
export class RepositoryRefresher {
  private readonly deps: RefreshingDeps
  private readonly timer: DueTimer
  private readonly requested = new Set<string>()
  private inProgress = new Set<string>()
  private isStopped = false

  constructor(deps: RefreshingDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      () => this.refreshDue(),
      (error) => deps.onProblem('Linked repositories could not be refreshed; this is tried again', error),
    )
  }

  start(): void {
    this.timer.dueAt(this.deps.clock.now())
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.deps.git.stop()
    await this.timer.stop()
  }

  track(row: RepositoryRow): void {
    this.timer.dueAt(row.dueMs)
  }

  /** After failures a refresh waits until it is due. */
  refreshIfStale(row: RepositoryRow): void {
    const ageMs = this.deps.clock.now() - row.triedMs
    const isFresh = ageMs >= 0 && ageMs < freshMs[parseStoredSource(row.source).kind]
    if (!isFresh && row.failures === 0 && !this.inProgress.has(row.id)) this.requestRefresh(row.id)
  }

  requestRefresh(id: string): void {
    this.requested.add(id)
    this.timer.dueAt(this.deps.clock.now())
  }

  private async refreshDue(): Promise<number | null> {
    for (let rows = this.takeNext(); rows.length > 0 && !this.isStopped; rows = this.takeNext()) {
      this.inProgress = new Set(rows.map(({ id }) => id))
      await Promise.all(rows.map((row) => this.refresh(row))).finally(() => this.inProgress.clear())
    }
    return this.deps.repositories.nextDueMs()
  }

  private takeNext(): RepositoryRow[] {
    const { clock, repositories } = this.deps
    const requested = [...this.requested].flatMap((id) => repositories.get(id) ?? [])
    const rows = [...requested, ...repositories.dueBy(clock.now())]
    const next = [...new Map(rows.map((row) => [row.id, row])).values()]
    this.requested.clear()
    for (const { id } of next.slice(maxConcurrentFetches)) this.requested.add(id)
    return next.slice(0, maxConcurrentFetches)
  }

  private async refresh(row: RepositoryRow): Promise<void> {
    const { clock, database, git, onRefreshed, repositories } = this.deps
    // The result is as old as the start of the fetch.
    const nowMs = clock.now()
    const fetched = await git.fetch(row.id, parseStoredSource(row.source), row.commitId)
    // The workspace is closing, or the repository is no longer linked.
    if (fetched.kind === 'failure' && fetched.reason === 'stopped') return
    const tried = { ...row, triedMs: nowMs }
    const changed: RepositoryRow =
      fetched.kind === 'failure'
        ? {
            ...tried,
            failures: row.failures + 1,
            problem: problemOf(fetched),
            dueMs: clock.now() + Math.min(firstRetryMs * 2 ** row.failures, maxRetryMs),
          }
        : {
            ...tried,
            defaultBranch: fetched.branch,
            commitId: fetched.commitId,
            refreshedMs: nowMs,
            failures: 0,
            problem: null,
            dueMs: nowMs + refreshMs,
          }
    const isLinked = await database.commit(() => repositories.put(changed))
    if (isLinked && row.dueMs <= nowMs) await onRefreshed(changed)
  }
}
