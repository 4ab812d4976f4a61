import type { Database } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import type { ForgeRow, ForgesTable } from '../../data/tables/forges.ts'
import type { PullRequestsTable } from '../../data/tables/pull-requests.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Clock } from '../time/clock.ts'
import { ForgeClient, type ForgeFailure, isMissing, pageLength } from './forge-client.ts'
import { type ForgeAddress, requireForge } from './forge-fields.ts'
import type { ForgePull } from './forge-responses.ts'

export interface ForgesDeps {
  database: Database
  clock: Clock
  outbound: Outbound
  forges: ForgesTable
  pullRequests: PullRequestsTable
  onProblem: (message: string, error?: unknown) => void
}

/** All pull requests, or those that changed, or a failure. */
type PullsFetch =
  | { kind: 'told'; pulls: ForgePull[]; etag: string | null }
  | { kind: 'unchanged' }
  | ForgeFailure

/** A forge that responded, to be stored. */
interface Connection {
  address: ForgeAddress
  fetchPulls: PullsFetch
}

/** Newer data is not fetched again. */
const freshMs = 30_000

/** Of a list. */
const maxPages = 4
/** Stored for each project. */
const maxStoredPulls = 500
const maxDiffs = 50

/**
 * Stores pull requests as last fetched from forges. Changes are fetched when someone reads what is older than 30
 * seconds.
 */
export class ForgeSync {
  private readonly deps: ForgesDeps
  private readonly client: ForgeClient
  private readonly ending = new AbortController()
  /** Running requests by project, or project and number, shared by concurrent readers. */
  private readonly requests = new Map<string, Promise<string | null>>()

  constructor(deps: ForgesDeps) {
    this.deps = deps
    const { outbound, clock } = deps
    this.client = new ForgeClient({ outbound, now: () => clock.now(), signal: this.ending.signal })
  }

  /** Aborts running requests. */
  async stop(): Promise<void> {
    this.ending.abort()
    await Promise.allSettled(this.requests.values())
  }

  find(projectId: string): ForgeRow | undefined {
    return this.deps.forges.find(projectId)
  }

  /**
   * Calls a forge for the first time.
   * @throws WorkspaceError `bad_request` for invalid fields, and for a forge that would never respond. One that
   * fails temporarily is accepted.
   */
  async connect(fields: Record<string, unknown>): Promise<Connection> {
    const address = requireForge(fields)
    const fetchPulls = await this.fetchPulls(address, null)
    if (fetchPulls.kind === 'failure' && fetchPulls.isPermanent) {
      throw new WorkspaceError('bad_request', `The forge cannot be used: ${fetchPulls.problem}.`)
    }
    return { address, fetchPulls }
  }

  /** Must be called inside a commit. */
  store({ address, fetchPulls }: Connection, projectId: string, repositoryId: string): void {
    const row: ForgeRow = {
      ...address,
      projectId,
      repositoryId,
      etag: null,
      syncedMs: null,
      refreshedMs: null,
      triedMs: null,
      problem: null,
      closedUntilMs: 0,
    }
    this.deps.forges.insert(row)
    this.storeFetch(row, fetchPulls)
  }

  /**
   * Removes the pull requests of a repository's forge. Must be called inside the commit that unlinks the
   * repository.
   */
  remove(projectId: string, repositoryId: string): void {
    const { forges, pullRequests } = this.deps
    if (forges.find(projectId)?.repositoryId === repositoryId) pullRequests.removeAll(projectId)
  }

  /** Fetches in the background if this repository has the project's forge. */
  async refreshFor(projectId: string, repositoryId: string): Promise<void> {
    const forge = this.find(projectId)
    if (forge?.repositoryId === repositoryId) await this.refresh(forge)
  }

  /** Refreshes the list if it is older than 30 seconds. @returns why it could not, in words; null on success */
  refresh(forge: ForgeRow): Promise<string | null> {
    if (this.isRecent(forge.triedMs)) return Promise.resolve(forge.problem)
    if (this.isBackingOff(forge)) return Promise.resolve(forge.problem)
    return this.shareRequest(forge.projectId, async () => {
      const fetchPulls = await this.fetchPulls(forge, forge)
      await commitOrUnavailable(this.deps.database, () => this.storeFetch(forge, fetchPulls))
      return fetchPulls.kind === 'failure' ? fetchPulls.problem : null
    })
  }

  /**
   * Refreshes one pull request with its diff if older than 30 seconds.
   * @returns why it could not, in words; null on success, or if it does not exist
   */
  async refreshOne(forge: ForgeRow, number: number): Promise<string | null> {
    const { pullRequests } = this.deps
    const { projectId } = forge
    if (!pullRequests.find(projectId, number)) {
      const problem = await this.refresh(forge)
      if (problem !== null) return problem
      // The newest are on the first page: a larger number does not exist.
      const isPossible = pullRequests.titles(projectId).some((pull) => pull.number > number)
      if (!isPossible && !pullRequests.find(projectId, number)) return null
    }
    return this.shareRequest(`${projectId} ${number}`, () =>
      this.fetchOne(this.find(projectId) ?? forge, number),
    )
  }

  private async fetchOne(forge: ForgeRow, number: number): Promise<string | null> {
    const { database, pullRequests } = this.deps
    const { projectId } = forge
    const known = pullRequests.find(projectId, number)
    const isKnown = this.isRecent(known?.checkedMs ?? null)
    if (isKnown && this.hasDiff(projectId, number)) return null
    if (this.isBackingOff(forge) || (forge.problem !== null && this.isRecent(forge.triedMs)))
      return forge.problem
    if (!isKnown) {
      const answer = await this.client.pull(forge, number, known?.etag ?? null)
      if (answer.kind === 'failure' && isMissing(answer) && !known) return null
      if (answer.kind === 'failure') return this.noteFailure(forge, answer)
      await commitOrUnavailable(database, () => {
        const isSame = this.find(projectId)?.repositoryId === forge.repositoryId
        if (!isSame) return
        if (answer.kind === 'unchanged') pullRequests.check(projectId, number, this.deps.clock.now())
        else this.put(projectId, answer.value, answer.etag)
      })
    }
    return this.hasDiff(projectId, number) ? null : this.askForDiff(forge, number)
  }

  private async askForDiff(forge: ForgeRow, number: number): Promise<string | null> {
    const { clock, database, pullRequests } = this.deps
    const pull = pullRequests.find(forge.projectId, number)
    if (!pull) return null
    const answer = await this.client.diff(forge, number)
    if (answer.kind === 'failure') return this.noteFailure(forge, answer)
    const diff = { diff: answer.text, diffOf: diffKey(pull), isCut: answer.isCut ? 1 : 0 } as const
    await commitOrUnavailable(database, () =>
      pullRequests.putDiff(forge.projectId, number, diff, clock.now(), maxDiffs),
    )
    return null
  }

  private hasDiff(projectId: string, number: number): boolean {
    const { pullRequests } = this.deps
    const pull = pullRequests.find(projectId, number)
    return pull !== undefined && pullRequests.diff(projectId, number)?.diffOf === diffKey(pull)
  }

  private async noteFailure(forge: ForgeRow, failure: ForgeFailure): Promise<string> {
    await commitOrUnavailable(this.deps.database, () => this.storeFetch(forge, failure))
    return failure.problem
  }

  /** Fetches the list, of which only the beginning may have changed. @param known from earlier fetches */
  private async fetchPulls(
    address: ForgeAddress,
    known: Pick<ForgeRow, 'etag' | 'syncedMs'> | null,
  ): Promise<PullsFetch> {
    const pulls: ForgePull[] = []
    let etag: string | null = null
    for (let page = 1; page <= maxPages; page++) {
      const answer = await this.client.list(address, page, page === 1 ? (known?.etag ?? null) : null)
      // An incomplete list is not stored: its etag would prevent fetching the rest.
      if (answer.kind !== 'told') return answer
      if (page === 1) etag = answer.etag
      pulls.push(...answer.value)
      if (answer.value.length < pageLength || isOlder(answer.value, known?.syncedMs ?? null)) break
    }
    return { kind: 'told', pulls, etag }
  }

  /** Must be called inside a commit. Does nothing if the project has another forge by now. */
  private storeFetch(asked: ForgeRow, fetchPulls: PullsFetch): void {
    const { clock, forges, pullRequests } = this.deps
    const nowMs = clock.now()
    const forge = { ...(forges.find(asked.projectId) ?? asked), triedMs: nowMs }
    if (forge.repositoryId !== asked.repositoryId) return
    if (fetchPulls.kind === 'failure') {
      const closedUntilMs = fetchPulls.backoffMs > 0 ? nowMs + fetchPulls.backoffMs : 0
      forges.put({ ...forge, problem: fetchPulls.problem, closedUntilMs })
      return
    }
    const learnt = { ...forge, refreshedMs: nowMs, problem: null, closedUntilMs: 0 }
    if (fetchPulls.kind === 'unchanged') {
      forges.put(learnt)
      return
    }
    const newestMs = Math.max(...fetchPulls.pulls.map(({ updatedMs }) => updatedMs), forge.syncedMs ?? 0)
    if (!forges.put({ ...learnt, etag: fetchPulls.etag, syncedMs: newestMs })) return
    for (const pull of fetchPulls.pulls) this.put(forge.projectId, pull, null)
    if (pullRequests.count(forge.projectId) > maxStoredPulls)
      pullRequests.keepNewest(forge.projectId, maxStoredPulls)
  }

  private put(projectId: string, pull: ForgePull, etag: string | null): void {
    this.deps.pullRequests.put({ ...pull, projectId, etag, checkedMs: this.deps.clock.now() })
  }

  private shareRequest(key: string, work: () => Promise<string | null>): Promise<string | null> {
    const running = this.requests.get(key)
    if (running) return running
    const asking = work()
      .catch((error) => {
        if (this.ending.signal.aborted) return 'the server is stopping'
        throw error
      })
      .finally(() => this.requests.delete(key))
    this.requests.set(key, asking)
    return asking
  }

  private isRecent(timeMs: number | null): boolean {
    const ageMs = timeMs === null ? -1 : this.deps.clock.now() - timeMs
    return ageMs >= 0 && ageMs < freshMs
  }

  /** Whether the forge requested a pause; ignored after the clock was set back far. */
  private isBackingOff({ closedUntilMs }: ForgeRow): boolean {
    const waitMs = closedUntilMs - this.deps.clock.now()
    return waitMs > 0 && waitMs <= 60 * 60 * 1000
  }
}

/** A diff changes with the newest commit and the base branch. */
export const diffKey = ({ headCommit, base }: { headCommit: string; base: string }): string =>
  `${headCommit} ${base}`

/** Whether all further pages are known. Unknown if the forge does not sort by update. */
function isOlder(page: readonly ForgePull[], syncedMs: number | null): boolean {
  const isSorted = page.every((pull, index) => index === 0 || pull.updatedMs <= page[index - 1]!.updatedMs)
  return syncedMs !== null && isSorted && (page.at(-1)?.updatedMs ?? 0) < syncedMs
}
