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

const maxLooks = 200

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
  private readonly resolving: LinkResolver
  private readonly isThere: (record: DocumentRecord) => boolean
  /** Folded titles. Records are immutable, so an entry never becomes outdated. */
  private readonly foldCase = new WeakMap<DocumentRecord, string>()

  constructor(deps: LinksDeps, isThere: (record: DocumentRecord) => boolean) {
    this.deps = deps
    this.isThere = isThere
    this.resolving = new LinkResolver(deps)
  }

  /** Ignores case and accents; at most 20, the best first. Yields to other requests in between. */
  async find(caller: Caller, slug: string, query: string): Promise<{ query: string; refs: RefListItem[] }> {
    const project = this.deps.projects.require(caller.member, slug)
    requireQuery(query)
    const rankOf = rankTitle(query)
    const matches = await this.matching(this.linkable(caller, project.id), rankOf)
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
    return (await this.matching(ids, rankTitle(query))).flatMap(({ record }) => {
      const projectName = names.get(record.projectId)
      return projectName === undefined ? [] : { ...this.refOf(record), token: tokenById(record), projectName }
    })
  }

  private async matching(ids: readonly string[], rankOf: ReturnType<typeof rankTitle>): Promise<Match[]> {
    const there: Match[] = []
    for (const { record, rank } of await this.bestMatches(ids, rankOf)) {
      if (there.length === maxRefs) break
      const now = this.deps.catalogue.find(record.id)
      if (now?.kind === record.kind && this.isThere(now)) there.push({ record: now, rank })
    }
    return there
  }

  private async bestMatches(ids: readonly string[], rankOf: ReturnType<typeof rankTitle>): Promise<Match[]> {
    const slice = new TimeSlice()
    const best: Match[] = []
    const leaveBest = () => {
      best.sort((one, other) => one.rank - other.rank || byActivity(one.record, other.record))
      if (best.length > maxLooks) best.length = maxLooks
    }
    for (const id of ids) {
      while (slice.isOver) await slice.pause()
      const record = this.deps.catalogue.find(id)
      if (!record) continue
      const rank = rankOf(this.foldedTitle(record), record.kind === 'card' ? record.number : null)
      if (rank === null) continue
      best.push({ record, rank })
      if (best.length === 2 * maxLooks) leaveBest()
    }
    leaveBest()
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
    const known = this.foldCase.get(record)
    if (known !== undefined) return known
    const title = foldCase(record.title)
    this.foldCase.set(record, title)
    return title
  }

  private refOf(record: DocumentRecord): RefListItem {
    const token = record.kind === 'card' ? `[[c:${record.number}]]` : tokenById(record)
    return { token, ...this.resolving.targetOf(record) }
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
  const wanted = foldCase(query)
  const words = wanted
    .trim()
    .split(' ')
    .map((word) => ` ${word}`)
  const asked = /^#?(\d{1,9})$/.exec(query.trim())?.[1]
  return (title, number) => {
    if (asked !== undefined && number === Number(asked)) return 0
    if (wanted === ' ') return null
    if (title === wanted) return 0
    if (title.startsWith(wanted)) return 1
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
