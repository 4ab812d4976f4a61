import { isUtf8 } from 'node:buffer'
import type { GitFailure, TreeEntry } from '../../data/outbound/git.ts'
import type { ForgeRow } from '../../data/tables/forges.ts'
import type { RepositoryRow } from '../../data/tables/repositories.ts'
import type { Caller } from '../access/member.ts'
import { requireProjectAdministration, requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { repositoriesTreePath } from '../paths.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { type LinkingDeps, RepositoryLinker } from './linking.ts'
import { readError } from './problems.ts'
import { RepositoryRefresher } from './repository-refresher.ts'
import type {
  EntryType,
  LinkRequest,
  RepositoryFile,
  RepositoryFolder,
  RepositoryListItem,
  RepositoryView,
} from './types.ts'

export interface RepositoriesDeps extends LinkingDeps {
  projects: ProjectStore
  onProblem: (message: string, error?: unknown) => void
}

const maxFileBytes = 20 * 1024 * 1024

/** Mirrors of linked repositories, at their default branch. */
export class Repositories {
  private readonly deps: RepositoriesDeps
  private readonly linker: RepositoryLinker
  private readonly refresher: RepositoryRefresher

  constructor(deps: RepositoriesDeps) {
    this.deps = deps
    this.linker = new RepositoryLinker(deps)
    this.refresher = new RepositoryRefresher({
      ...deps,
      onRefreshed: ({ id, projectId }) => deps.forges.refreshFor(projectId, id),
    })
  }

  /** Removes mirrors of unfinished links, and fetches missing ones, as after a restore. */
  async start(): Promise<void> {
    const { git, repositories } = this.deps
    const ids = repositories.ids()
    const mirrored = new Set(await git.keepOnly(ids))
    for (const id of ids) if (!mirrored.has(id)) this.refresher.requestRefresh(id)
    this.refresher.start()
  }

  stop(): Promise<void> {
    return this.refresher.stop()
  }

  /** @throws WorkspaceError `bad_request` if it cannot be cloned; `conflict` for a taken name */
  async link(caller: Caller, idOrSlug: string, request: LinkRequest): Promise<RepositoryView> {
    const requireManager = () => this.requireManager(caller, idOrSlug, 'link a repository')
    const project = requireManager()
    const row = await this.linker.link(project, caller.member, request, requireManager)
    this.refresher.track(row)
    return this.viewOf(project, row)
  }

  /** Also deletes the pull requests from its forge. The source is not changed. */
  async unlink(caller: Caller, idOrSlug: string, dir: string): Promise<void> {
    const project = this.requireManager(caller, idOrSlug, 'unlink a repository')
    await this.linker.unlink(project, this.require(project, dir))
  }

  list(caller: Caller, idOrSlug: string): RepositoryView[] {
    const project = this.requireProject(caller, idOrSlug)
    return this.deps.repositories.ofProject(project.id).map((row) => this.viewOf(project, row))
  }

  folder(caller: Caller, slug: string): { project: string; repositories: RepositoryListItem[] } {
    const project = this.requireProject(caller, slug)
    const rows = this.deps.repositories.ofProject(project.id)
    return { project: project.slug, repositories: rows.map((row) => repositoryListItem(project, row)) }
  }

  /** Refreshes an outdated mirror in the background. @throws WorkspaceError `too_large` above 20 MB */
  async open(
    caller: Caller,
    slug: string,
    dir: string,
    path: string,
  ): Promise<RepositoryFolder | RepositoryFile> {
    const project = this.requireProject(caller, slug)
    const repository = this.require(project, dir)
    this.refresher.refreshIfStale(repository)
    return this.readMirror(repository, async (row) => {
      if (path === '') return this.folderAt(project, row, '', row.commitId)
      const entry = await this.deps.git.find(row.id, row.commitId, path)
      if (entry === null) throw noSuchPathError(project, row, path)
      if ('kind' in entry) return entry
      if (entry.type === 'folder') return this.folderAt(project, row, `${path}/`, entry.objectId)
      return this.fileAt(row, entry)
    })
  }

  private async folderAt(
    project: Project,
    row: RepositoryRow,
    prefix: string,
    treeId: string,
  ): Promise<RepositoryFolder | GitFailure> {
    const listing = await this.deps.git.list(row.id, treeId)
    if (listing.kind === 'failure') return listing
    const entries = listing.entries.map(({ path, type, size }) => ({
      name: prefix + path,
      // Recursive, so there are no folders among the entries.
      type: type as EntryType,
      size,
      path: repositoriesTreePath(project, row.dir, prefix + path),
    }))
    return {
      kind: 'folder',
      listing: {
        project: project.slug,
        repository: row.dir,
        ref: row.defaultBranch,
        commit: row.commitId,
        refreshedAt: row.refreshedMs,
        problem: row.problem,
        entries,
        truncated: listing.isCut,
        skipped: listing.skipped,
      },
    }
  }

  private fileAt(row: RepositoryRow, { path, type, objectId, size }: TreeEntry): RepositoryFile {
    if (type === 'submodule') {
      throw new WorkspaceError(
        'not_found',
        `${path} is a submodule: its files are in another repository, at the commit ${objectId}.`,
      )
    }
    if (size === null || size > maxFileBytes) {
      throw new WorkspaceError(
        'too_large',
        `${path} is larger than ${maxFileBytes / 1024 / 1024} MB. Clone the repository to read it.`,
        { fields: { limitBytes: maxFileBytes } },
      )
    }
    const read = async ({ id }: RepositoryRow) => {
      const bytes = await this.deps.git.read(id, objectId, maxFileBytes)
      return 'kind' in bytes ? bytes : { bytes, isText: isUtf8(bytes) && !bytes.includes(0) }
    }
    return { kind: 'file', objectId, read: () => this.readMirror(row, read) }
  }

  /** Reads again if a refresh has replaced the commit. */
  private async readMirror<T extends object>(
    row: RepositoryRow,
    work: (row: RepositoryRow) => Promise<T | GitFailure>,
  ): Promise<T> {
    const result = await work(row)
    if (!isFailure(result)) return result
    const current = this.deps.repositories.get(row.id)
    if (current && current.commitId !== row.commitId) return this.readMirror(current, work)
    if (result.reason === 'failed' && row.failures === 0) this.refresher.requestRefresh(row.id)
    throw readError(row.dir, result)
  }

  private requireProject(caller: Caller, idOrSlug: string): Project {
    requireScope(caller, 'projects:read')
    return this.deps.projects.require(caller.member, idOrSlug)
  }

  private requireManager(caller: Caller, idOrSlug: string, action: string): Project {
    const project = this.requireProject(caller, idOrSlug)
    requireProjectAdministration(caller, this.deps.projects.roleOf(project, caller.member), action)
    requireWritable(project)
    return project
  }

  private require(project: Project, dir: string): RepositoryRow {
    const row = this.deps.repositories.find(project.id, dir)
    if (row) return row
    throw new WorkspaceError('not_found', `There is no repository ${dir}.`, {
      next: { step: 'list repositories', project: project.slug },
    })
  }

  private viewOf(project: Project, row: RepositoryRow): RepositoryView {
    return repositoryView(project, row, this.deps.forges.find(project.id))
  }
}

const isFailure = (result: object): result is GitFailure => 'kind' in result && result.kind === 'failure'

const noSuchPathError = ({ slug }: Project, { dir, defaultBranch }: RepositoryRow, path: string) =>
  new WorkspaceError(
    'not_found',
    `There is no ${JSON.stringify(path)} on the branch ${defaultBranch} of ${dir}.`,
    { next: { step: 'list repository files', project: slug, dir } },
  )

const repositoryView = (
  project: Project,
  row: RepositoryRow,
  forge: ForgeRow | undefined,
): RepositoryView => ({
  _id: row.id,
  dir: row.dir,
  name: row.name,
  source: row.source,
  defaultBranch: row.defaultBranch,
  commit: row.commitId,
  linkedBy: row.linkedBy,
  linkedAt: row.linkedMs,
  refreshedAt: row.refreshedMs,
  problem: row.problem,
  forge: forge?.repositoryId === row.id ? { api: forge.api, owner: forge.owner, name: forge.name } : null,
  path: repositoriesTreePath(project, row.dir),
})

const repositoryListItem = (project: Project, row: RepositoryRow): RepositoryListItem => ({
  dir: row.dir,
  name: row.name,
  defaultBranch: row.defaultBranch,
  refreshedAt: row.refreshedMs,
  problem: row.problem,
  path: repositoriesTreePath(project, row.dir),
})
