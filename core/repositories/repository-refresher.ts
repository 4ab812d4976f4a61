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
  /** Called for a repository that was due, once it has been looked at. */
  refreshed: (row: RepositoryRow) => Promise<void>
  onProblem: (message: string, error?: unknown) => void
}

/** How often a source is looked at without anybody asking, in milliseconds. */
export const refreshMs = 10 * 60 * 1000

/** Who reads what is older than this has it looked for meanwhile. A folder of this machine is looked at in no time. */
const freshMs = { folder: 5_000, address: 60_000 }

/** How long the wait is after a first failure; it doubles with each, up to the longest. */
const firstRetryMs = 60_000
const maxRetryMs = 60 * 60 * 1000

/** How many are looked at side by side. One more may be cloned beside them. */
const maxConcurrentFetches = 2

/**
 * Keeps the mirrors as their sources are, in the background. A failure leaves the last state, and is told with it.
 */
export class RepositoryRefresher {
  private readonly deps: RefreshingDeps
  private readonly alarm: DueTimer
  /** Those that somebody reads, by id. */
  private readonly wanted = new Set<string>()
  /** Those that are being looked at, by id. */
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

  /** Goes on with what is due. Not to be waited for. */
  start(): void {
    this.alarm.dueAt(this.deps.clock.now())
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.deps.git.stop()
    await this.alarm.stop()
  }

  /** A repository was linked. */
  track(row: RepositoryRow): void {
    this.alarm.dueAt(row.dueMs)
  }

  /** Has a repository looked at that somebody reads, where that was some time ago. After failures it has to wait. */
  noteRead(row: RepositoryRow): void {
    const ageMs = this.deps.clock.now() - row.triedMs
    const isFresh = ageMs >= 0 && ageMs < freshMs[parseStoredSource(row.source).kind]
    if (!isFresh && row.failures === 0 && !this.underWay.has(row.id)) this.requestRefresh(row.id)
  }

  /** Has a repository looked at now: its mirror is missing or broken. */
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
    // What comes of it is as old as its beginning.
    const nowMs = clock.now()
    const fetched = await git.fetch(row.id, parseStoredSource(row.source), row.commitId)
    // The workspace closes, or the repository is linked no more.
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
