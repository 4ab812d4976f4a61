-- Slugs that projects had before they were renamed: links to their pages and files are in mails and in other tools.
CREATE TABLE former_project_slugs (
  slug TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  replaced_ms INTEGER NOT NULL -- Unix time, milliseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX former_project_slugs_project ON former_project_slugs (project_id, replaced_ms);

-- When and by whom a project was deleted, Unix milliseconds; null: it was not. Its folder is in trash/<id>/ then, until
-- it is restored or purged; `folder` is its id meanwhile, and `deleted_folder` the name to which it returns.
ALTER TABLE projects ADD COLUMN deleted_ms INTEGER;
ALTER TABLE projects ADD COLUMN deleted_by TEXT REFERENCES members (id);
ALTER TABLE projects ADD COLUMN deleted_folder TEXT;
