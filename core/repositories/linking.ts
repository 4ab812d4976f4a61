import type { Database } from '../../data/database.ts'
import type { Fetched, Git } from '../../data/outbound/git.ts'
import type { RepositoriesTable, RepositoryRow } from '../../data/tables/repositories.ts'
import type { Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import { requireSlug } from '../projects/naming.ts'
import type { ForgeSync } from '../pulls/forge-sync.ts'
import type { Clock } from '../time/clock.ts'
import { cloneError } from './problems.ts'
import { refreshMs } from './repository-refresher.ts'
import { formatSource, repositoryName, requireSource } from './source.ts'
import type { LinkRequest } from './types.ts'

export interface LinkingDeps {
  database: Database
  clock: Clock
  newId: NewId
  repositories: RepositoriesTable
  git: Git
  forges: ForgeSync
}

const maxRepositories = 20

export class RepositoryLinker {
  /** Reserved during a clone: the project with the name, or with `/forge`. */
  private readonly reserved = new Set<string>()

  constructor(private readonly deps: LinkingDeps) {}

  /** `recheckPermission` checks the permission again after the clone, which may take minutes. */
  async link(
    project: Project,
    member: Member,
    request: LinkRequest,
    recheckPermission: () => void,
  ): Promise<RepositoryRow> {
    const { database, forges, git, newId, repositories } = this.deps
    requireSlug(request.dir)
    const source = requireSource(request.source)
    const release = this.reserve(project, request)
    const id = newId('rep')
    try {
      const connection = request.forge && (await forges.connect(request.forge))
      const fetched = await git.fetch(id, source, null)
      if (fetched.kind === 'failure') throw cloneError(fetched)
      const row: RepositoryRow = {
        id,
        projectId: project.id,
        dir: request.dir,
        name: repositoryName(source),
        source: formatSource(source),
        linkedBy: member.id,
        ...this.stateOf(fetched),
      }
      await commitOrUnavailable(database, () => {
        recheckPermission()
        repositories.insert(row)
        if (connection) forges.store(connection, project.id, id)
      })
      return row
    } catch (error) {
      await git.remove(id)
      throw error
    } finally {
      release()
    }
  }

  async unlink(project: Project, { id }: RepositoryRow): Promise<void> {
    const { database, forges, git, repositories } = this.deps
    await commitOrUnavailable(database, () => {
      forges.remove(project.id, id)
      repositories.remove(id)
    })
    await git.remove(id)
  }

  private stateOf({ branch, commitId }: Fetched) {
    const nowMs = this.deps.clock.now()
    return {
      defaultBranch: branch,
      commitId,
      linkedMs: nowMs,
      refreshedMs: nowMs,
      triedMs: nowMs,
      failures: 0,
      problem: null,
      dueMs: nowMs + refreshMs,
    }
  }

  /** Reserves the name and the forge during a clone. Returns a function that releases them. */
  private reserve(project: Project, { dir, forge }: LinkRequest): () => void {
    const { forges, repositories } = this.deps
    const inProject = `${project.id} `
    const names = [`${inProject}${dir}`]
    if (this.reserved.has(names[0]!) || repositories.find(project.id, dir)) {
      throw new WorkspaceError(
        'conflict',
        `${dir} is another repository of this project. Choose another dir.`,
      )
    }
    if (forge) {
      names.push(`${inProject}/forge`)
      if (this.reserved.has(names[1]!) || forges.find(project.id)) {
        throw new WorkspaceError(
          'conflict',
          'This project has a forge already, and a project has one. Unlink the repository that named it, or link this one without.',
        )
      }
    }
    const reservedCount = [...this.reserved].filter((name) => name.startsWith(inProject)).length
    if (repositories.count(project.id) + reservedCount >= maxRepositories) {
      throw new WorkspaceError('conflict', `A project has at most ${maxRepositories} repositories.`)
    }
    for (const name of names) this.reserved.add(name)
    return () => {
      for (const name of names) this.reserved.delete(name)
    }
  }
}
