import type { Database } from '../../data/database.ts'
import type { WorkspaceRow, WorkspaceTable } from '../../data/tables/workspace.ts'
import type { Caller } from '../access/member.ts'
import { requireAdministration } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

interface WorkspaceIdentityDeps {
  database: Database
  workspace: WorkspaceTable
}

interface WorkspaceView {
  id: string
  name: string
  slug: string
}

/** The slug never changes, since programs use it. */
export class WorkspaceName {
  private readonly deps: WorkspaceIdentityDeps
  private row: WorkspaceRow

  constructor(deps: WorkspaceIdentityDeps) {
    this.deps = deps
    this.row = deps.workspace.find()!
  }

  get id(): string {
    return this.row.id
  }

  get name(): string {
    return this.row.name
  }

  get slug(): string {
    return this.row.slug
  }

  view(): WorkspaceView {
    const { id, name, slug } = this.row
    return { id, name, slug }
  }

  async rename(caller: Caller, name: string): Promise<WorkspaceView> {
    requireAdministration(caller)
    return this.setName(name)
  }

  /** For the command line. */
  async setName(name: string): Promise<WorkspaceView> {
    requireWorkspaceName(name)
    await commitOrUnavailable(this.deps.database, () => this.deps.workspace.rename(name))
    this.refresh()
    return this.view()
  }

  refresh(): void {
    this.row = this.deps.workspace.find()!
  }
}

/** @throws WorkspaceError `bad_request` for an invalid name */
export function requireWorkspaceName(name: string): void {
  if (name.trim() !== '' && [...name].length <= 80 && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return
  throw new WorkspaceError(
    'bad_request',
    'The name of a workspace is one line of 1 to 80 characters, not blank.',
  )
}
