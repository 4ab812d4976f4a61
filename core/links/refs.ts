import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import { scopeFor } from '../documents/model/scopes.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LinksDeps } from './deps.ts'
import { LinkResolver } from './link-resolver.ts'
import type { LinkedPull } from './linked-pulls.ts'
import type { RefInProject, RefListItem } from './types.ts'

const maxRefs = 20

const maxCandidates = 200

const maxProjects = 100

const maxQueryLength = 400

const linkableKinds = ['document', 'post', 'card'] as const

type Rank = 0 | 1 | 2

interface Match {
  record: DocumentRecord
  rank: Rank
}

/** Finds tokens for linking (`docs/interface.md#links-between-files`). */
export class Refs {
  private readonly deps: LinksDeps
  private readonly resolver: LinkResolver
  private readonly isMounted: (record: DocumentRecord) => boolean
  /** Folded titles. Records are immutable, so an entry never becomes outdated. */
  private readonly foldedTitles = new WeakMap<DocumentRecord, string>()

  constructor(deps: LinksDeps, isMounted: (record: DocumentRecord) => boolean) {
    this.deps = deps
    this.isMounted = isMounted
    this.resolver = new LinkResolver(deps)
  }

  /** Ignores case and accents; at most 20, the best first. Yields to other requests in between. */
  async find(caller: Caller, slug: string, query: string): Promise<{ query: string; refs: RefListItem[] }> {
    const project = this.deps.projects.require(caller.member, slug)
    requireQuery(query)
    const rankOf = rankTitle(query)
    const matches = await this.findMatches(this.linkable(caller, project.id), rankOf)
    const documents = matches
      .filter(({ record }) => record.projectId === project.id)
      .map(({ record, rank }) => ({ ref: this.refOf(record), rank }))
    const pulls = this.pullsFor(caller, project.id).flatMap((pull) => {
      const rank = rankOf(foldCase(pull.title), pull.number)
      return rank === null ? [] : { ref: refOfPull(pull), rank }
    })
    const best = [...documents, ...pulls].sort((one, other) => one.rank - other.rank)
    return { query, refs: best.slice(0, maxRefs).map(({ ref }) => ref) }
  }

  /** As `find`, in all readable projects, with tokens by id, which resolve outside of a project. */
  async findInAllProjects(caller: Caller, query: string): Promise<RefInProject[]> {
    requireQuery(query)
    const projects = this.deps.projects.readableBy(caller.member).slice(0, maxProjects)
    const names = new Map(projects.map(({ id, name }) => [id, name]))
    const ids = projects.flatMap(({ id }) => this.linkable(caller, id))
    return (await this.findMatches(ids, rankTitle(query))).flatMap(({ record }) => {
      const projectName = names.get(record.projectId)
      return projectName === undefined ? [] : { ...this.refOf(record), token: tokenById(record), projectName }
    })
  }

  private async findMatches(ids: readonly string[], rankOf: ReturnType<typeof rankTitle>): Promise<Match[]> {
    const present: Match[] = []
    for (const { record, rank } of await this.bestMatches(ids, rankOf)) {
      if (present.length === maxRefs) break
      const current = this.deps.catalogue.find(record.id)
      if (current?.kind === record.kind && this.isMounted(current)) present.push({ record: current, rank })
    }
    return present
  }

  private async bestMatches(ids: readonly string[], rankOf: ReturnType<typeof rankTitle>): Promise<Match[]> {
    const slice = new TimeSlice()
    const best: Match[] = []
    const keepBest = () => {
      best.sort((one, other) => one.rank - other.rank || byActivity(one.record, other.record))
      if (best.length > maxCandidates) best.length = maxCandidates
    }
    for (const id of ids) {
      while (slice.isOver) await slice.pause()
      const record = this.deps.catalogue.find(id)
      if (!record) continue
      const rank = rankOf(this.foldedTitle(record), record.kind === 'card' ? record.number : null)
      if (rank === null) continue
      best.push({ record, rank })
      if (best.length === 2 * maxCandidates) keepBest()
    }
    keepBest()
    return best
  }

  private linkable(caller: Caller, projectId: string): string[] {
    return linkableKinds
      .filter((kind) => hasScope(caller, scopeFor(kind, 'read')))
      .flatMap((kind) => this.deps.catalogue.idsOfKind(projectId, kind))
  }

  private pullsFor(caller: Caller, projectId: string): readonly LinkedPull[] {
    return hasScope(caller, 'projects:read') ? (this.deps.pulls?.inProject(projectId) ?? []) : []
  }

  private foldedTitle(record: DocumentRecord): string {
    const cached = this.foldedTitles.get(record)
    if (cached !== undefined) return cached
    const title = foldCase(record.title)
    this.foldedTitles.set(record, title)
    return title
  }

  private refOf(record: DocumentRecord): RefListItem {
    const token = record.kind === 'card' ? `[[c:${record.number}]]` : tokenById(record)
    return { token, ...this.resolver.targetOf(record) }
  }
}

const tokenById = ({ id, kind }: DocumentRecord): string => `[[${kind === 'post' ? 'p' : 'n'}:${id}]]`

const byActivity = (one: DocumentRecord, other: DocumentRecord) =>
  other.activityMs - one.activityMs || (one.id < other.id ? 1 : -1)

const refOfPull = ({ number, title, path, url }: LinkedPull): RefListItem => ({
  token: `[[pr:${number}]]`,
  type: 'pull',
  id: String(number),
  title,
  path,
  url,
})

function requireQuery(query: string): void {
  if (query.trim() === '') {
    throw new WorkspaceError('invalid', '?q= is required: part of a title, or a card number.')
  }
  if (query.length > maxQueryLength)
    throw new WorkspaceError('invalid', `?q= may have ${maxQueryLength} characters at most.`)
}

/** The returned function ranks a folded title; null: no match. A number must match exactly. */
function rankTitle(query: string): (title: string, number: number | null) => Rank | null {
  const foldedQuery = foldCase(query)
  const words = foldedQuery
    .trim()
    .split(' ')
    .map((word) => ` ${word}`)
  const numberText = /^#?(\d{1,9})$/.exec(query.trim())?.[1]
  return (title, number) => {
    if (numberText !== undefined && number === Number(numberText)) return 0
    if (foldedQuery === ' ') return null
    if (title === foldedQuery) return 0
    if (title.startsWith(foldedQuery)) return 1
    return words.every((word) => title.includes(word)) ? 2 : null
  }
}

/** Keeps letters and digits without case and accents, with one space before each word. */
const foldCase = (text: string): string =>
  ` ${text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()}`
