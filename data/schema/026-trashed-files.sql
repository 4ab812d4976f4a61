-- Files without a document that were deleted, as uploaded ones are: for 30 days they lie in trash/<project>/deleted.
CREATE TABLE trashed_files (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  path TEXT NOT NULL,        -- within the project's folder, where it lay
  trash_path TEXT NOT NULL,  -- within the home, where it lies
  bytes INTEGER NOT NULL,
  deleted_ms INTEGER NOT NULL,
  deleted_by TEXT NOT NULL REFERENCES members (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trashed_files_project ON trashed_files (project_id, deleted_ms, bytes);
CREATE INDEX trashed_files_deleted ON trashed_files (deleted_ms);
