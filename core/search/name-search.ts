import { setImmediate } from 'node:timers/promises'
import type { AsksTable } from '../../data/tables/asks.ts'
import type { PullRequestsTable } from '../../data/tables/pull-requests.ts'
import type { RepositoriesTable } from '../../data/tables/repositories.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { SkillsTable } from '../../data/tables/skills.ts'
import type { Caller, Scope } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { askStates } from '../asks/types.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { pagePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import type { LinkResolver } from '../links/link-resolver.ts'
import { replaceReferences } from '../links/replace-references.ts'
import { plainText } from '../markdown/canonical-mentions.ts'
import { readableText } from '../markdown/readable-text.ts'
import type { MemberStore } from '../members/member-store.ts'
import {
  asksPagePath,
  memberPagePath,
  projectPagePath,
  pullPagePath,
  repositoryPagePath,
  roomPagePath,
  skillPagePath,
} from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { ReadPositions } from '../rooms/read-positions.ts'
import type { NameKind, NameMatch } from './name-match.ts'
import { NameQuery } from './name-query.ts'
import type { SimilarNames } from './similar-names.ts'
import { type Candidate, TopMatches } from './top-matches.ts'
import { matchAllTrigrams } from './trigrams.ts'
import type { UploadedFiles } from './uploaded-files.ts'

interface NameSearchDeps {
  asks: AsksTable
  catalogue: Catalogue
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
  pullRequests: PullRequestsTable
  references: LinkResolver
  readPositions: ReadPositions
  repositories: RepositoriesTable
  rooms: RoomsTable
  similarNames: SimilarNames
  skills: SkillsTable
  uploads: UploadedFiles
}

interface NameSearchRequest {
  query: string
  kind?: NameKind
  project?: string
  limit: number
}

const maxMatches = 50

const maxProjects = 100

const maxAsks = 100

const maxPerKind = 500

const pauseEveryMs = 4

const scopeOf: Partial<Record<NameKind, Scope>> = {
  room: 'rooms:read',
  project: 'projects:read',
  ask: 'asks:read',
  pull: 'projects:read',
  repository: 'projects:read',
  skill: 'projects:read',
}

export class NameSearch {
  constructor(private readonly deps: NameSearchDeps) {}

  /**
   * Finds names with all the words, or if there are none, with similar words. `pages` are the server's own,
   * searched only without a kind and a project. `isWhole` is false if a limit left something out.
   */
  async find(
    caller: Caller,
    { query, kind, project, limit }: NameSearchRequest,
    pages: readonly { title: string; page: string }[] = [],
  ): Promise<{ named: NameMatch[]; isSimilar: boolean; isWhole: boolean }> {
    const nameQuery = new NameQuery(query)
    const matches = new TopMatches(nameQuery, Math.min(limit, maxMatches))
    const { projects } = this.deps
    const requestedProject = project === undefined ? null : projects.require(caller.member, project)
    const isRequested = (one: NameKind) => {
      const scope = scopeOf[one]
      return (kind === undefined || kind === one) && (scope === undefined || hasScope(caller, scope))
    }
    const readable = requestedProject ? [requestedProject] : this.readableProjects(caller)
    const context: NameSearchContext = {
      caller,
      requestedProject,
      nameQuery,
      readableProjects: readable.slice(0, maxProjects),
      isRequested,
      includesDocuments: kind === undefined,
      isWhole: readable.length <= maxProjects,
    }
    if (kind === undefined && !requestedProject)
      for (const page of pages) matches.add({ kind: 'page', ...page })
    await addAll(matches, this.sources(context))
    if (isRequested('file') && hasScope(caller, 'documents:read')) await this.addUploads(matches, context)
    if (!matches.hasExact && nameQuery.allowsMistakes) await addAll(matches, this.similar(context))
    const named = matches.results()
    return { named, isSimilar: named.length > 0 && !matches.hasExact, isWhole: context.isWhole }
  }

  private async addUploads(matches: TopMatches, context: NameSearchContext): Promise<void> {
    const { uploads } = this.deps
    const { readableProjects, nameQuery } = context
    const refreshed = await Promise.all(readableProjects.map((project) => uploads.refresh(project)))
    if (!refreshed.every((isWhole) => isWhole)) context.isWhole = false
    const found = uploads.find(matchAllTrigrams(nameQuery.words), byId(readableProjects))
    await addAll(matches, [
      (function* () {
        if (!(yield* found)) context.isWhole = false
      })(),
    ])
  }

  private *similar({
    caller,
    nameQuery,
    readableProjects,
    isRequested,
    includesDocuments,
  }: NameSearchContext): Generator<Iterable<Candidate | null>, void, undefined> {
    const { similarNames, uploads } = this.deps
    const expression = similarNames.expressionFor(nameQuery.words)
    if (expression === null) return
    const projects = byId(readableProjects)
    if (includesDocuments) yield similarNames.documents(expression, caller, projects)
    if (isRequested('file') && hasScope(caller, 'documents:read')) yield uploads.find(expression, projects)
  }

  private readableProjects({ member }: Caller): Project[] {
    const isArchived = ({ archivedMs }: Project) => Number(archivedMs !== null)
    return this.deps.projects.readableBy(member).toSorted((one, other) => isArchived(one) - isArchived(other))
  }

  private *sources(context: NameSearchContext): Generator<Iterable<Candidate | null>, void, undefined> {
    const { readableProjects, isRequested } = context
    if (isRequested('room')) yield this.rooms(context)
    if (isRequested('project')) yield readableProjects.map(projectCandidate)
    yield this.members(context)
    for (const project of readableProjects) yield* this.inProject(project, context)
  }

  private *rooms({
    caller: { member },
    requestedProject,
  }: NameSearchContext): Generator<Candidate, void, undefined> {
    const { memberships, projects, readPositions, rooms } = this.deps
    for (const room of [...rooms.joinedBy(member.id), ...rooms.openToJoin(member.id)]) {
      if (requestedProject && room.projectId !== requestedProject.id) continue
      if (!memberships.mayEnterProjectOf(room, member)) continue
      const where = room.projectId === null ? undefined : projects.find(room.projectId)?.name
      const title = readPositions.nameOf(room, member)
      yield { kind: 'room', title, page: roomPagePath(room), ...(where !== undefined && { where }) }
    }
  }

  private *members({
    requestedProject,
    isRequested,
  }: NameSearchContext): Generator<Candidate, void, undefined> {
    const { members, projects } = this.deps
    for (const member of members.active()) {
      const kind = member.type === 'agent' ? 'agent' : 'person'
      if (!isRequested(kind) || (requestedProject && projects.roleOf(requestedProject, member) === null))
        continue
      yield { kind, title: member.name, page: memberPagePath(member.id) }
    }
  }

  private *inProject(
    project: Project,
    { caller, isRequested }: NameSearchContext,
  ): Generator<Iterable<Candidate | null>, void, undefined> {
    const { pullRequests, repositories, skills } = this.deps
    const where = project.name
    if (isRequested('ask')) yield this.asks(caller, project)
    if (isRequested('pull')) {
      yield pullRequests.newestTitles(project.id, maxPerKind).map(({ number, title: name }) => ({
        kind: 'pull',
        title: `#${number} ${name}`,
        name,
        aliases: [`#${number}`, `${number}`],
        page: pullPagePath(project, number),
        where,
      }))
    }
    if (isRequested('repository')) {
      yield repositories.names(project.id, maxPerKind).map(({ dir, name }) => ({
        kind: 'repository',
        title: dir,
        aliases: [name],
        page: repositoryPagePath(project, dir),
        where,
      }))
    }
    if (isRequested('skill')) {
      yield skills
        .names(project.id, maxPerKind)
        .map((name) => ({ kind: 'skill', title: name, page: skillPagePath(project, name), where }))
    }
    if (isRequested('file')) yield attachedFiles(this.deps, caller, project)
  }

  /** Only asks that the project's page of asks shows: it has no fragment for an older one. */
  private *asks(caller: Caller, project: Project): Generator<Candidate, void, undefined> {
    const { asks, members, references } = this.deps
    const reader = { caller, projectId: project.id }
    const page = asksPagePath(project)
    for (const state of askStates) {
      const isClosed = state === 'resolved' || state === 'cancelled'
      for (const { id, title } of asks.titles(project.id, state, maxAsks)) {
        yield {
          kind: 'ask',
          title: replaceReferences(references, reader, readableText(plainText(title, members.names()))),
          page: `${page}${isClosed ? '?over=all' : ''}#${id}`,
          where: project.name,
        }
      }
    }
  }
}

interface NameSearchContext {
  caller: Caller
  requestedProject: Project | null
  nameQuery: NameQuery
  readableProjects: readonly Project[]
  isRequested: (kind: NameKind) => boolean
  includesDocuments: boolean
  isWhole: boolean
}

const byId = (projects: readonly Project[]) => new Map(projects.map((project) => [project.id, project]))

async function addAll(matches: TopMatches, sources: Iterable<Iterable<Candidate | null>>): Promise<void> {
  let pauseAtMs = performance.now() + pauseEveryMs
  for (const source of sources) {
    for (const candidate of source) {
      if (candidate) matches.add(candidate)
      if (performance.now() < pauseAtMs) continue
      await setImmediate()
      pauseAtMs = performance.now() + pauseEveryMs
    }
  }
}

const projectCandidate = ({ slug, name }: Project): Candidate => ({
  kind: 'project',
  title: name,
  page: projectPagePath({ slug }),
})

/** Yields null for each record, so that a caller can pause. */
function* attachedFiles(
  { catalogue, projects }: { catalogue: Catalogue; projects: ProjectStore },
  caller: Caller,
  project: Project,
): Generator<Candidate | null, void, undefined> {
  const records = [
    ...catalogue.ofKind(project.id, 'post'),
    ...catalogue.ofKind(project.id, 'draft', caller.member.id),
  ]
  for (const record of records) {
    yield null
    if (record.attachments.length === 0 || !mayRead(caller, record, projects)) continue
    for (const { id, name } of record.attachments) {
      const page = `${pagePath(project, record)}#${id}`
      yield { kind: 'file', title: name, page, where: `${record.title}, ${project.name}` }
    }
  }
}
