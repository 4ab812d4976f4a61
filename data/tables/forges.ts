import type { Connection } from '../database.ts'

export interface ForgeRow {
  projectId: string
  repositoryId: string
  api: string // base URL, without a slash at its end
  owner: string
  name: string
  token: string | null // shown to nobody
  etag: string | null // of the first page of the list
  syncedMs: number | null // the newest change up to which the whole list was fetched
  refreshedMs: number | null // when the list was last known to be current
  triedMs: number | null // the last request, whether it failed or not
  problem: string | null // why the last request failed
  closedUntilMs: number // no request is sent to the forge before
}

export function forgesTable(db: Connection) {
  const find = db.prepare<[string], ForgeRow>(`
    SELECT project_id AS projectId, repository_id AS repositoryId, api, owner, name, token, etag,
      synced_ms AS syncedMs, refreshed_ms AS refreshedMs, tried_ms AS triedMs, problem,
      closed_until_ms AS closedUntilMs
    FROM forges WHERE project_id = ?`)
  const insert = db.prepare<ForgeRow>(`
    INSERT INTO forges (project_id, repository_id, api, owner, name, token, etag, synced_ms, refreshed_ms, tried_ms,
      problem, closed_until_ms)
    VALUES (@projectId, @repositoryId, @api, @owner, @name, @token, @etag, @syncedMs, @refreshedMs, @triedMs,
      @problem, @closedUntilMs)`)
  const put = db.prepare<ForgeRow>(`
    UPDATE forges SET etag = @etag, synced_ms = @syncedMs, refreshed_ms = @refreshedMs, tried_ms = @triedMs,
      problem = @problem, closed_until_ms = @closedUntilMs
    WHERE project_id = @projectId AND repository_id = @repositoryId`)
  return {
    find: (projectId: string): ForgeRow | undefined => find.get(projectId),
    insert: (row: ForgeRow): void => void insert.run(row),
    /** Stores what a fetch changes. Returns false if its repository is no longer linked. */
    put: (row: ForgeRow): boolean => put.run(row).changes === 1,
  }
}
export type ForgesTable = ReturnType<typeof forgesTable>
