import type { ListedPullRequest, PullRequestRow, PullRequestsTable } from '../../data/tables/pull-requests.ts'
import type { RepositoriesTable } from '../../data/tables/repositories.ts'
import type { Caller } from '../access/member.ts'
import { hasScope, requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { treePath } from '../documents/model/document-paths.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { pullPagePath, pullsTreePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import { diffKey, type ForgeSync } from './forge-sync.ts'
import { type PullRequestDetails, pullRequestPage } from './pull-page.ts'
import type { PullRequestList, PullRequestListItem } from './types.ts'

export type PullRequestReading = PullRequestDetails & { url: string }

export interface PullsDeps {
  clock: Clock
  projects: ProjectStore
  repositories: RepositoriesTable
  pullRequests: PullRequestsTable
  forges: ForgeSync
  catalogue: Catalogue
  pageUrl: (path: string) => string
}

/** Pull requests of projects, current or as last fetched. */
export class Pulls {
  constructor(private readonly deps: PullsDeps) {}

  /** @throws WorkspaceError `unavailable` if none were ever fetched and the forge cannot be contacted */
  async list(caller: Caller, slug: string): Promise<PullRequestList> {
    const { forges, pullRequests } = this.deps
    const project = this.requireProjectWithRepository(caller, slug)
    const forge = forges.find(project.id)
    const problem = forge ? await forges.refresh(forge) : null
    const refreshedAt = forges.find(project.id)?.refreshedMs ?? null
    if (refreshedAt === null && problem !== null) throw notFetchedError(problem)
    const pulls = pullRequests.list(project.id).map((row) => this.listItem(project, row))
    return { project: project.slug, pulls, refreshedAt, stale: problem !== null, problem }
  }

  /** @throws WorkspaceError `unavailable` if it is not stored and the forge cannot be contacted */
  async page(caller: Caller, slug: string, name: string): Promise<{ text: string; url: string }> {
    const details = await this.read(caller, slug, name)
    return { text: pullRequestPage({ ...details, nowMs: this.deps.clock.now() }), url: details.url }
  }

  async read(caller: Caller, slug: string, name: string): Promise<PullRequestReading> {
    const { forges, pullRequests } = this.deps
    const project = this.requireProjectWithRepository(caller, slug)
    const number = parseNumber(name)
    const forge = forges.find(project.id)
    if (number === null || !forge) throw noSuchPullError(project, name)
    const problem = await forges.refreshOne(forge, number)
    const pull = pullRequests.find(project.id, number)
    if (!pull) throw problem === null ? noSuchPullError(project, name) : notFetchedError(problem)
    const diff = pullRequests.diff(project.id, number) ?? null
    const cards = hasScope(caller, 'cards:read') ? this.cardsOf(project, pull) : null
    const isDiffOld = diff !== null && diff.diffOf !== diffKey(pull)
    return { pull, cards, diff, isDiffOld, problem, url: this.urlOf(project, number) }
  }

  private requireProjectWithRepository(caller: Caller, slug: string): Project {
    requireScope(caller, 'projects:read')
    const project = this.deps.projects.require(caller.member, slug)
    if (this.deps.repositories.count(project.id) > 0) return project
    throw new WorkspaceError(
      'not_found',
      `No code repository is linked to the project ${project.slug}, so it has no pull requests.`,
      { next: { step: 'link a repository', project: project.slug } },
    )
  }

  private listItem(project: Project, row: ListedPullRequest): PullRequestListItem {
    const { number, title, state, head, base, author, updatedMs, isDraft } = row
    return {
      number,
      title,
      state,
      head,
      base,
      author,
      updatedAt: updatedMs,
      draft: isDraft === 1,
      url: this.urlOf(project, number),
      path: pullsTreePath(project, number),
    }
  }

  private cardsOf(project: Project, pull: PullRequestRow) {
    const cardAt = (number: number) => this.deps.catalogue.cardWithNumber(project.id, number)
    return cardsNamedIn(pull, (number) => cardAt(number) !== null).map((number) => {
      const card = cardAt(number)!
      return { number, title: card.title, path: treePath(project, card) }
    })
  }

  private urlOf(project: Project, number: number): string {
    return this.deps.pageUrl(pullPagePath(project, number))
  }
}

function parseNumber(name: string): number | null {
  const digits = /^([1-9]\d{0,8})(?:\.md)?$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

const noSuchPullError = ({ slug }: Project, name: string) =>
  new WorkspaceError('not_found', `There is no pull request ${JSON.stringify(name)}.`, {
    next: { step: 'list pull requests', project: slug },
  })

const notFetchedError = (problem: string) =>
  new WorkspaceError('unavailable', `The pull requests are not known yet: ${problem}. Try again later.`, {
    retryAfterMs: 30_000,
  })

const maxCards = 20

/** Matches `[[c:12]]`, `c:12`, `card 12`, `0012-fix-login` and the like. `#12` is an issue of the forge. */
const inText =
  /(?<![\w:])c:(\d{1,9})(?![\w-])|(?<![a-z\d])card(?:[ _:/-]#?|#| #)(\d{1,9})(?![a-z\d])|(?<![\w.-])(\d{4,9})-(?=[a-z])/gi

/** Matches `12-fix-login`, also after a prefix, as in `feature/12-fix-login`. */
const inBranch = /(?:^|\/)(\d{1,9})(?=[-_/]|$)/g

export function cardsNamedIn(
  { title, description, head }: { title: string; description: string; head: string },
  isCard: (number: number) => boolean,
): number[] {
  const numbers = new Set<number>()
  const matches = [
    ...title.matchAll(inText),
    ...head.matchAll(inText),
    ...head.matchAll(inBranch),
    ...description.matchAll(inText),
  ]
  for (const [, ...groups] of matches) {
    const number = Number(groups.find((group) => group !== undefined))
    if (numbers.size < maxCards && isCard(number)) numbers.add(number)
  }
  return [...numbers]
}
