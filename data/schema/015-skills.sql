-- Skills: folders of text files that tell an agent how something is done. A draft is kept here, as are the files of
-- every version that was published from one; what is published stands on the disk, where a person may edit it.

CREATE TABLE skills (
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,                -- kebab case, or the name of a folder that was made by hand
  version INTEGER NOT NULL,          -- of what stands on the disk; rises with every publication and edit there; 0: there was none
  draft_revision INTEGER NOT NULL,   -- rises with every save; 0: there was none
  draft BLOB,                        -- JSON: text by path, deflated; null: none was saved
  description TEXT NOT NULL,         -- of what stands on the disk
  seen TEXT NOT NULL,                -- JSON: the files on the disk as they were last seen, by path
  is_placed INTEGER NOT NULL,        -- 0: the version is committed, and not known to stand on the disk yet
  changed_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX skills_unplaced ON skills (is_placed) WHERE is_placed = 0;

CREATE TABLE skill_versions (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  author_id TEXT REFERENCES members (id), -- null: it was found on the disk
  files BLOB,                             -- JSON: text by path, deflated; null: it was found on the disk
  PRIMARY KEY (project_id, name, version),
  FOREIGN KEY (project_id, name) REFERENCES skills (project_id, name)
) STRICT;
