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

/** What a forge said of all its pull requests, or of those that changed; or why it said nothing. */
type PullsFetch =
  | { kind: 'told'; pulls: ForgePull[]; etag: string | null }
  | { kind: 'unchanged' }
  | ForgeFailure

/** A forge that was asked once before anything is kept of it. */
interface Connection {
  address: ForgeAddress
  fetchPulls: PullsFetch
}

/** What was known less long ago is not asked for again, in milliseconds. */
const freshMs = 30_000

/** How many pages of a list are read. */
const maxPages = 4
/** How many pull requests are kept for a project, and how many diffs. */
const maxStoredPulls = 500
const maxDiffs = 50

/**
 * Where the pull requests of projects come from. They are kept as each forge last told of them; it is asked again, for what
 * has changed alone, when somebody reads what is older than 30 seconds.
 */
export class ForgeSync {
  private readonly deps: ForgesDeps
  private readonly client: ForgeClient
  private readonly ending = new AbortController()
  /** What is being asked now, by project, or project and number: whoever wants the same waits for the same. */
  private readonly requests = new Map<string, Promise<string | null>>()

  constructor(deps: ForgesDeps) {
    this.deps = deps
    const { outbound, clock } = deps
    this.client = new ForgeClient({ outbound, now: () => clock.now(), signal: this.ending.signal })
  }

  /** Ends what is being asked. */
  async stop(): Promise<void> {
    this.ending.abort()
    await Promise.allSettled(this.requests.values())
  }

  find(projectId: string): ForgeRow | undefined {
    return this.deps.forges.find(projectId)
  }

  /**
   * Asks a forge for the first time.
   * @throws WorkspaceError `bad_request` for fields that cannot be, and for a forge that would never answer. One that does
   *   not answer now is taken as it is.
   */
  async connect(fields: Record<string, unknown>): Promise<Connection> {
    const address = requireForge(fields)
    const fetchPulls = await this.fetchPulls(address, null)
    if (fetchPulls.kind === 'failure' && fetchPulls.isPermanent) {
      throw new WorkspaceError('bad_request', `The forge cannot be used: ${fetchPulls.problem}.`)
    }
    return { address, fetchPulls }
  }

  /** Makes a forge that of a project; to be called inside a commit. */
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

  /** Forgets what a repository's forge told, where it named one; to be called inside a commit that unlinks it. */
  remove(projectId: string, repositoryId: string): void {
    const { forges, pullRequests } = this.deps
    if (forges.find(projectId)?.repositoryId === repositoryId) pullRequests.removeAll(projectId)
  }

  /** Asks again in the background, where this repository named the project's forge. */
  async refreshFor(projectId: string, repositoryId: string): Promise<void> {
    const forge = this.find(projectId)
    if (forge?.repositoryId === repositoryId) await this.refresh(forge)
  }

  /**
   * Brings the list of a project's pull requests up to date, where it is older than 30 seconds.
   * @returns why that could not be done, in words; null: it is
   */
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
   * Brings one pull request and its diff up to date, where they are older than 30 seconds.
   * @returns why that could not be done, in words; null: they are, or there is none of that number
   */
  async refreshOne(forge: ForgeRow, number: number): Promise<string | null> {
    const { pullRequests } = this.deps
    const { projectId } = forge
    if (!pullRequests.find(projectId, number)) {
      const problem = await this.refresh(forge)
      if (problem !== null) return problem
      // The newest are on the list's first page: a number above them is none.
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

  /**
   * Reads the list, of which only the beginning may have changed.
   * @param known what was told before; null: nothing
   */
  private async fetchPulls(
    address: ForgeAddress,
    known: Pick<ForgeRow, 'etag' | 'syncedMs'> | null,
  ): Promise<PullsFetch> {
    const pulls: ForgePull[] = []
    let etag: string | null = null
    for (let page = 1; page <= maxPages; page++) {
      const answer = await this.client.list(address, page, page === 1 ? (known?.etag ?? null) : null)
      // A list that is known in part is not kept: with its etag the rest would never be asked for.
      if (answer.kind !== 'told') return answer
      if (page === 1) etag = answer.etag
      pulls.push(...answer.value)
      if (answer.value.length < pageLength || isOlder(answer.value, known?.syncedMs ?? null)) break
    }
    return { kind: 'told', pulls, etag }
  }

  /** Keeps what was told; to be called inside a commit. Nothing of a forge that is not the project's any more. */
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

  /** Whether the forge asked to hear nothing now; not believed of a clock that was set back far. */
  private isBackingOff({ closedUntilMs }: ForgeRow): boolean {
    const waitMs = closedUntilMs - this.deps.clock.now()
    return waitMs > 0 && waitMs <= 60 * 60 * 1000
  }
}

/** What a diff is of: it changes with the newest commit, and with the branch that it is compared with. */
export const diffKey = ({ headCommit, base }: { headCommit: string; base: string }): string =>
  `${headCommit} ${base}`

/** Whether all behind these was known before. A forge that does not sort by change says nothing of that. */
function isOlder(page: readonly ForgePull[], syncedMs: number | null): boolean {
  const isSorted = page.every((pull, index) => index === 0 || pull.updatedMs <= page[index - 1]!.updatedMs)
  return syncedMs !== null && isSorted && (page.at(-1)?.updatedMs ?? 0) < syncedMs
}
