import type { Connection } from '../database.ts'

export interface RepositoryRow {
  id: string
  projectId: string
  dir: string // its name in the tree
  name: string // at its source
  source: string // absolute path of a folder, or an http or https address
  defaultBranch: string
  commitId: string // the mirror's commit of that branch, hex
  linkedBy: string // member id
  linkedMs: number
  refreshedMs: number // the last successful fetch
  triedMs: number // the last attempt, whether it failed or not
  failures: number // in a row
  problem: string | null // why the last attempt failed
  dueMs: number // the next attempt
}

const columns = `id, project_id AS projectId, dir, name, source, default_branch AS defaultBranch,
  commit_id AS commitId, linked_by AS linkedBy, linked_ms AS linkedMs, refreshed_ms AS refreshedMs,
  tried_ms AS triedMs, failures, problem, due_ms AS dueMs`

export function repositoriesTable(db: Connection) {
  const find = db.prepare<[string, string], RepositoryRow>(
    `SELECT ${columns} FROM repositories WHERE project_id = ? AND dir = ?`,
  )
  const get = db.prepare<[string], RepositoryRow>(`SELECT ${columns} FROM repositories WHERE id = ?`)
  const ofProject = db.prepare<[string], RepositoryRow>(
    `SELECT ${columns} FROM repositories WHERE project_id = ? ORDER BY dir`,
  )
  const names = db.prepare<[string, number], { dir: string; name: string }>(
    'SELECT dir, name FROM repositories WHERE project_id = ? ORDER BY dir LIMIT ?',
  )
  const count = db.prepare<[string], number>('SELECT count(*) FROM repositories WHERE project_id = ?').pluck()
  const ids = db.prepare<[], string>('SELECT id FROM repositories').pluck()
  const insert = db.prepare<RepositoryRow>(`
    INSERT INTO repositories (id, project_id, dir, name, source, default_branch, commit_id, linked_by, linked_ms,
      refreshed_ms, tried_ms, failures, problem, due_ms)
    VALUES (@id, @projectId, @dir, @name, @source, @defaultBranch, @commitId, @linkedBy, @linkedMs,
      @refreshedMs, @triedMs, @failures, @problem, @dueMs)`)
  const put = db.prepare<RepositoryRow>(`
    UPDATE repositories SET default_branch = @defaultBranch, commit_id = @commitId, refreshed_ms = @refreshedMs,
      tried_ms = @triedMs, failures = @failures, problem = @problem, due_ms = @dueMs
    WHERE id = @id`)
  const remove = db.prepare<[string]>('DELETE FROM repositories WHERE id = ?')
  const dueBy = db.prepare<[number], RepositoryRow>(
    `SELECT ${columns} FROM repositories WHERE due_ms <= ? ORDER BY due_ms, id`,
  )
  const nextDue = db.prepare<[], number | null>('SELECT min(due_ms) FROM repositories').pluck()
  return {
    find: (projectId: string, dir: string): RepositoryRow | undefined => find.get(projectId, dir),
    get: (id: string): RepositoryRow | undefined => get.get(id),
    ofProject: (projectId: string): RepositoryRow[] => ofProject.all(projectId),
    names: (projectId: string, limit: number): { dir: string; name: string }[] => names.all(projectId, limit),
    count: (projectId: string): number => count.get(projectId)!,
    ids: (): string[] => ids.all(),
    insert: (row: RepositoryRow): void => void insert.run(row),
    /** Stores what a fetch changes. Returns false if it is no longer linked. */
    put: (row: RepositoryRow): boolean => put.run(row).changes === 1,
    /** Includes its forge. */
    remove: (id: string): boolean => remove.run(id).changes === 1,
    /** The longest due first. */
    dueBy: (timeMs: number): RepositoryRow[] => dueBy.all(timeMs),
    nextDueMs: (): number | null => nextDue.get() ?? null,
  }
}
export type RepositoriesTable = ReturnType<typeof repositoriesTable>
