import type { Connection } from '../database.ts'

export type PullRequestState = 'open' | 'closed' | 'merged'

/** As last fetched from its forge, without its diff. */
export interface PullRequestRow {
  projectId: string
  number: number
  title: string
  state: PullRequestState
  isDraft: 0 | 1
  head: string // branch
  base: string // branch
  headCommit: string
  author: string // at the forge
  description: string
  forgeUrl: string // '' if unknown
  updatedMs: number
  checkedMs: number // when it was last known to be current
  etag: string | null // of its own record
}

export interface DiffRow {
  diff: string | null // null: withheld by the forge
  diffOf: string // its commit and base branch
  isCut: 0 | 1
}

export type ListedPullRequest = Omit<PullRequestRow, 'description'>

const columns = `project_id AS projectId, number, title, state, is_draft AS isDraft, head, base,
  head_commit AS headCommit, author, forge_url AS forgeUrl, updated_ms AS updatedMs, checked_ms AS checkedMs, etag`

export function pullRequestsTable(db: Connection) {
  const find = db.prepare<[string, number], PullRequestRow>(
    `SELECT ${columns}, description FROM pull_requests WHERE project_id = ? AND number = ?`,
  )
  const list = db.prepare<[string], ListedPullRequest>(`
    SELECT ${columns} FROM pull_requests WHERE project_id = ?
    ORDER BY state <> 'open', updated_ms DESC, number DESC`)
  const titles = db.prepare<[string], { number: number; title: string }>(
    'SELECT number, title FROM pull_requests WHERE project_id = ? ORDER BY updated_ms DESC, number DESC',
  )
  const newestTitles = db.prepare<[string, number], { number: number; title: string }>(
    'SELECT number, title FROM pull_requests WHERE project_id = ? ORDER BY updated_ms DESC LIMIT ?',
  )
  const count = db
    .prepare<[string], number>('SELECT count(*) FROM pull_requests WHERE project_id = ?')
    .pluck()
  const put = db.prepare<PullRequestRow>(`
    INSERT INTO pull_requests (project_id, number, title, state, is_draft, head, base, head_commit, author, description,
      forge_url, updated_ms, checked_ms, etag)
    VALUES (@projectId, @number, @title, @state, @isDraft, @head, @base, @headCommit, @author, @description,
      @forgeUrl, @updatedMs, @checkedMs, @etag)
    ON CONFLICT DO UPDATE SET title = @title, state = @state, is_draft = @isDraft, head = @head, base = @base,
      head_commit = @headCommit, author = @author, description = @description, forge_url = @forgeUrl,
      updated_ms = @updatedMs, checked_ms = @checkedMs, etag = coalesce(@etag, etag)`)
  const check = db.prepare<[number, string, number]>(
    'UPDATE pull_requests SET checked_ms = ? WHERE project_id = ? AND number = ?',
  )
  const diff = db.prepare<[string, number], DiffRow>(`
    SELECT diff, diff_of AS diffOf, diff_is_cut AS isCut FROM pull_requests
    WHERE project_id = ? AND number = ? AND diff_of IS NOT NULL`)
  const putDiff = db.prepare<DiffRow & { projectId: string; number: number; diffMs: number }>(`
    UPDATE pull_requests SET diff = @diff, diff_of = @diffOf, diff_is_cut = @isCut, diff_ms = @diffMs
    WHERE project_id = @projectId AND number = @number`)
  const dropDiffs = db.prepare<[string, string, number]>(`
    UPDATE pull_requests SET diff = NULL, diff_of = NULL, diff_ms = NULL
    WHERE project_id = ? AND diff_ms IS NOT NULL AND number NOT IN (
      SELECT number FROM pull_requests WHERE project_id = ? AND diff_ms IS NOT NULL
      ORDER BY diff_ms DESC, number DESC LIMIT ?)`)
  const removeAll = db.prepare<[string]>('DELETE FROM pull_requests WHERE project_id = ?')
  const keepNewest = db.prepare<[string, string, number]>(`
    DELETE FROM pull_requests WHERE project_id = ? AND number NOT IN (
      SELECT number FROM pull_requests WHERE project_id = ?
      ORDER BY state <> 'open', updated_ms DESC, number DESC LIMIT ?)`)
  return {
    find: (projectId: string, number: number): PullRequestRow | undefined => find.get(projectId, number),
    /** Open ones first, then by most recent activity. */
    list: (projectId: string): ListedPullRequest[] => list.all(projectId),
    titles: (projectId: string): { number: number; title: string }[] => titles.all(projectId),
    newestTitles: (projectId: string, limit: number): { number: number; title: string }[] =>
      newestTitles.all(projectId, limit),
    count: (projectId: string): number => count.get(projectId)!,
    /** A null etag keeps the known one. */
    put: (row: PullRequestRow): void => void put.run(row),
    check: (projectId: string, number: number, nowMs: number): void =>
      void check.run(nowMs, projectId, number),
    diff: (projectId: string, number: number): DiffRow | undefined => diff.get(projectId, number),
    /** Keeps the newest `most` diffs of a project. */
    putDiff(projectId: string, number: number, row: DiffRow, nowMs: number, limit: number): void {
      putDiff.run({ ...row, projectId, number, diffMs: nowMs })
      dropDiffs.run(projectId, projectId, limit)
    },
    removeAll: (projectId: string): void => void removeAll.run(projectId),
    keepNewest: (projectId: string, limit: number): void => void keepNewest.run(projectId, projectId, limit),
  }
}
export type PullRequestsTable = ReturnType<typeof pullRequestsTable>
