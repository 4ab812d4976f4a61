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

type PullsFetch =
  | { kind: 'fetched'; pulls: ForgePull[]; etag: string | null }
  | { kind: 'unchanged' }
  | ForgeFailure

interface Connection {
  address: ForgeAddress
  fetched: PullsFetch
}

const freshMs = 30_000

const maxPages = 4
const maxStoredPulls = 500
const maxDiffs = 50

/** Pull requests of projects' forges. A read of data older than 30 seconds fetches what has changed. */
export class ForgeSync {
  private readonly deps: ForgesDeps
  private readonly client: ForgeClient
  private readonly abortController = new AbortController()
  private readonly requests = new Map<string, Promise<string | null>>()

  constructor(deps: ForgesDeps) {
    this.deps = deps
    const { outbound, clock } = deps
    this.client = new ForgeClient({ outbound, now: () => clock.now(), signal: this.abortController.signal })
  }

  async stop(): Promise<void> {
    this.abortController.abort()
    await Promise.allSettled(this.requests.values())
  }

  find(projectId: string): ForgeRow | undefined {
    return this.deps.forges.find(projectId)
  }

  /** Accepts a forge that is temporarily unavailable. @throws WorkspaceError `bad_request` */
  async connect(fields: Record<string, unknown>): Promise<Connection> {
    const address = requireForge(fields)
    const fetched = await this.fetchPulls(address, null)
    if (fetched.kind === 'failure' && fetched.isPermanent) {
      throw new WorkspaceError('bad_request', `The forge cannot be used: ${fetched.problem}.`)
    }
    return { address, fetched }
  }

  store({ address, fetched }: Connection, projectId: string, repositoryId: string): void {
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
    this.storeFetch(row, fetched)
  }

  /** Acts only if this repository named the forge. Must be called inside a commit. */
  remove(projectId: string, repositoryId: string): void {
    const { forges, pullRequests } = this.deps
    if (forges.find(projectId)?.repositoryId === repositoryId) pullRequests.removeAll(projectId)
  }

  async refreshFor(projectId: string, repositoryId: string): Promise<void> {
    const forge = this.find(projectId)
    if (forge?.repositoryId === repositoryId) await this.refresh(forge)
  }

  /** Returns the problem, or null. Does nothing within 30 seconds of a try, or until the forge permits. */
  refresh(forge: ForgeRow): Promise<string | null> {
    if (this.isRecent(forge.triedMs)) return Promise.resolve(forge.problem)
    if (this.isBackingOff(forge)) return Promise.resolve(forge.problem)
    return this.shareRequest(forge.projectId, async () => {
      const fetched = await this.fetchPulls(forge, forge)
      await commitOrUnavailable(this.deps.database, () => this.storeFetch(forge, fetched))
      return fetched.kind === 'failure' ? fetched.problem : null
    })
  }

  /** Refreshes a pull request and diff if they are older than 30 seconds. Returns the problem, or null. */
  async refreshOne(forge: ForgeRow, number: number): Promise<string | null> {
    const { pullRequests } = this.deps
    const { projectId } = forge
    if (!pullRequests.find(projectId, number)) {
      const problem = await this.refresh(forge)
      if (problem !== null) return problem
      // The list's first page has the newest, so a higher number does not exist.
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
    const stored = pullRequests.find(projectId, number)
    const isFresh = this.isRecent(stored?.checkedMs ?? null)
    if (isFresh && this.hasDiff(projectId, number)) return null
    if (this.isBackingOff(forge) || (forge.problem !== null && this.isRecent(forge.triedMs)))
      return forge.problem
    if (!isFresh) {
      const response = await this.client.pull(forge, number, stored?.etag ?? null)
      if (response.kind === 'failure' && isMissing(response) && !stored) return null
      if (response.kind === 'failure') return this.recordFailure(forge, response)
      await commitOrUnavailable(database, () => {
        const isSame = this.find(projectId)?.repositoryId === forge.repositoryId
        if (!isSame) return
        if (response.kind === 'unchanged') pullRequests.check(projectId, number, this.deps.clock.now())
        else this.put(projectId, response.value, response.etag)
      })
    }
    return this.hasDiff(projectId, number) ? null : this.fetchDiff(forge, number)
  }

  private async fetchDiff(forge: ForgeRow, number: number): Promise<string | null> {
    const { clock, database, pullRequests } = this.deps
    const pull = pullRequests.find(forge.projectId, number)
    if (!pull) return null
    const response = await this.client.diff(forge, number)
    if (response.kind === 'failure') return this.recordFailure(forge, response)
    const diff = { diff: response.text, diffOf: diffKey(pull), isCut: response.isCut ? 1 : 0 } as const
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

  private async recordFailure(forge: ForgeRow, failure: ForgeFailure): Promise<string> {
    await commitOrUnavailable(this.deps.database, () => this.storeFetch(forge, failure))
    return failure.problem
  }

  /** Fetches as far as the list may have changed. */
  private async fetchPulls(
    address: ForgeAddress,
    stored: Pick<ForgeRow, 'etag' | 'syncedMs'> | null,
  ): Promise<PullsFetch> {
    const pulls: ForgePull[] = []
    let etag: string | null = null
    for (let page = 1; page <= maxPages; page++) {
      const response = await this.client.list(address, page, page === 1 ? (stored?.etag ?? null) : null)
      // A partial list is not stored: with its etag the rest would never be requested.
      if (response.kind !== 'fetched') return response
      if (page === 1) etag = response.etag
      pulls.push(...response.value)
      if (response.value.length < pageLength || isRestUnchanged(response.value, stored?.syncedMs ?? null))
        break
    }
    return { kind: 'fetched', pulls, etag }
  }

  /** Must be called inside a commit. Ignores results of a forge that the project no longer uses. */
  private storeFetch(requested: ForgeRow, fetched: PullsFetch): void {
    const { clock, forges, pullRequests } = this.deps
    const nowMs = clock.now()
    const forge = { ...(forges.find(requested.projectId) ?? requested), triedMs: nowMs }
    if (forge.repositoryId !== requested.repositoryId) return
    if (fetched.kind === 'failure') {
      const closedUntilMs = fetched.backoffMs > 0 ? nowMs + fetched.backoffMs : 0
      forges.put({ ...forge, problem: fetched.problem, closedUntilMs })
      return
    }
    const refreshed = { ...forge, refreshedMs: nowMs, problem: null, closedUntilMs: 0 }
    if (fetched.kind === 'unchanged') {
      forges.put(refreshed)
      return
    }
    const newestMs = Math.max(...fetched.pulls.map(({ updatedMs }) => updatedMs), forge.syncedMs ?? 0)
    if (!forges.put({ ...refreshed, etag: fetched.etag, syncedMs: newestMs })) return
    for (const pull of fetched.pulls) this.put(forge.projectId, pull, null)
    if (pullRequests.count(forge.projectId) > maxStoredPulls)
      pullRequests.keepNewest(forge.projectId, maxStoredPulls)
  }

  private put(projectId: string, pull: ForgePull, etag: string | null): void {
    this.deps.pullRequests.put({ ...pull, projectId, etag, checkedMs: this.deps.clock.now() })
  }

  private shareRequest(key: string, work: () => Promise<string | null>): Promise<string | null> {
    const running = this.requests.get(key)
    if (running) return running
    const request = work()
      .catch((error) => {
        if (this.abortController.signal.aborted) return 'the server is stopping'
        throw error
      })
      .finally(() => this.requests.delete(key))
    this.requests.set(key, request)
    return request
  }

  private isRecent(timeMs: number | null): boolean {
    const ageMs = timeMs === null ? -1 : this.deps.clock.now() - timeMs
    return ageMs >= 0 && ageMs < freshMs
  }

  /** Longer waits are ignored: they come from a clock that was set back. */
  private isBackingOff({ closedUntilMs }: ForgeRow): boolean {
    const waitMs = closedUntilMs - this.deps.clock.now()
    return waitMs > 0 && waitMs <= 60 * 60 * 1000
  }
}

export const diffKey = ({ headCommit, base }: { headCommit: string; base: string }): string =>
  `${headCommit} ${base}`

/** False for a forge that does not sort by change. */
function isRestUnchanged(page: readonly ForgePull[], syncedMs: number | null): boolean {
  const isSorted = page.every((pull, index) => index === 0 || pull.updatedMs <= page[index - 1]!.updatedMs)
  return syncedMs !== null && isSorted && (page.at(-1)?.updatedMs ?? 0) < syncedMs
}
