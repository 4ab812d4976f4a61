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
  /** Called after a due repository was refreshed. */
  refreshed: (row: RepositoryRow) => Promise<void>
  onProblem: (message: string, error?: unknown) => void
}

/** The refresh interval. */
export const refreshMs = 10 * 60 * 1000

/** A reader of something older causes a refresh. A local folder is checked quickly. */
const freshMs = { folder: 5_000, address: 60_000 }

/** The delay after a first failure; it doubles up to the maximum. */
const firstRetryMs = 60_000
const maxRetryMs = 60 * 60 * 1000

/** Besides one that may be cloned. */
const maxConcurrentFetches = 2

/** Refreshes mirrors in the background. After a failure the last state remains, with the problem. */
export class RepositoryRefresher {
  private readonly deps: RefreshingDeps
  private readonly alarm: DueTimer
  /** Ids of repositories that were read. */
  private readonly wanted = new Set<string>()
  /** Ids of repositories being refreshed. */
  private underWay = new Set<string>()
  private isStopped = false

  constructor(deps: RefreshingDeps) {
    this.deps = deps
    this.alarm = new DueTimer(
      deps.clock,
      () => this.refreshDue(),
      (error) => deps.onProblem('Linked repositories could not be refreshed; this is tried again', error),
    )
  }

  /** Continues with what is due. Not awaited. */
  start(): void {
    this.alarm.dueAt(this.deps.clock.now())
  }

  /** Aborts running fetches. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.deps.git.stop()
    await this.alarm.stop()
  }

  track(row: RepositoryRow): void {
    this.alarm.dueAt(row.dueMs)
  }

  /** Refreshes a repository that is being read, if it is not recent. After failures it waits. */
  noteRead(row: RepositoryRow): void {
    const ageMs = this.deps.clock.now() - row.triedMs
    const isFresh = ageMs >= 0 && ageMs < freshMs[parseStoredSource(row.source).kind]
    if (!isFresh && row.failures === 0 && !this.underWay.has(row.id)) this.requestRefresh(row.id)
  }

  /** Refreshes a missing or broken mirror now. */
  requestRefresh(id: string): void {
    this.wanted.add(id)
    this.alarm.dueAt(this.deps.clock.now())
  }

  private async refreshDue(): Promise<number | null> {
    for (let rows = this.takeNext(); rows.length > 0 && !this.isStopped; rows = this.takeNext()) {
      this.underWay = new Set(rows.map(({ id }) => id))
      await Promise.all(rows.map((row) => this.refresh(row))).finally(() => this.underWay.clear())
    }
    return this.deps.repositories.nextDueMs()
  }

  private takeNext(): RepositoryRow[] {
    const { clock, repositories } = this.deps
    const wanted = [...this.wanted].flatMap((id) => repositories.get(id) ?? [])
    const rows = [...wanted, ...repositories.dueBy(clock.now())]
    const next = [...new Map(rows.map((row) => [row.id, row])).values()]
    this.wanted.clear()
    for (const { id } of next.slice(maxConcurrentFetches)) this.wanted.add(id)
    return next.slice(0, maxConcurrentFetches)
  }

  private async refresh(row: RepositoryRow): Promise<void> {
    const { clock, database, git, refreshed, repositories } = this.deps
    // The result is as of the beginning.
    const nowMs = clock.now()
    const fetched = await git.fetch(row.id, parseStoredSource(row.source), row.commitId)
    // The workspace closes, or the repository was unlinked.
    if (fetched.kind === 'failure' && fetched.reason === 'stopped') return
    const looked = { ...row, triedMs: nowMs }
    const changed: RepositoryRow =
      fetched.kind === 'failure'
        ? {
            ...looked,
            failures: row.failures + 1,
            problem: problemOf(fetched),
            dueMs: clock.now() + Math.min(firstRetryMs * 2 ** row.failures, maxRetryMs),
          }
        : {
            ...looked,
            defaultBranch: fetched.branch,
            commitId: fetched.commitId,
            refreshedMs: nowMs,
            failures: 0,
            problem: null,
            dueMs: nowMs + refreshMs,
          }
    const isLinked = await database.commit(() => repositories.put(changed))
    if (isLinked && row.dueMs <= nowMs) await refreshed(changed)
  }
}
