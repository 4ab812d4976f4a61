-- Posts, drafts, documents and cards, and each project's home page. The file is the document:
-- here stands only what a file cannot say, and what was last seen of it.

CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  kind TEXT NOT NULL CHECK (kind IN ('home', 'post', 'draft', 'document', 'card')),
  path TEXT NOT NULL,     -- within the project's folder, as it is spelled on the disk
  path_key TEXT NOT NULL, -- NFC and case folded, for comparing
  title TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES members (id),
  editor_id TEXT NOT NULL REFERENCES members (id), -- who wrote the newest revision
  created_ms INTEGER NOT NULL,
  published_ms INTEGER NOT NULL, -- of a draft: when it was created
  edited_ms INTEGER,
  scheduled_ms INTEGER,          -- when a draft is to be published
  is_pinned INTEGER NOT NULL DEFAULT 0,
  comment_count INTEGER NOT NULL DEFAULT 0,
  activity_ms INTEGER NOT NULL,  -- newest of publication, edit, move, comment
  number INTEGER,                -- cards: from here on
  status TEXT,
  position TEXT,                 -- order within the column: keys between which there is always room
  card TEXT,                     -- JSON: priority, labels, assignees and the like, as listings show them
  revision TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  envelope TEXT NOT NULL,        -- what the read's envelope showed when the revision was written
  stamp TEXT,                    -- JSON: the file's stat when its bytes were last known to be this revision
  deleted_ms INTEGER,
  deleted_by TEXT REFERENCES members (id),
  trash_path TEXT                -- within the home, where the file lies; null: its last revision alone is kept
) STRICT;
-- Two names that differ by case or normal form alone may both lie on the disk: only the exact path is unique.
CREATE UNIQUE INDEX documents_live_path ON documents (project_id, path) WHERE deleted_ms IS NULL;
CREATE INDEX documents_live_key ON documents (project_id, path_key) WHERE deleted_ms IS NULL;
CREATE UNIQUE INDEX documents_number ON documents (project_id, number) WHERE number IS NOT NULL;
CREATE INDEX documents_scheduled ON documents (scheduled_ms) WHERE scheduled_ms IS NOT NULL AND deleted_ms IS NULL;
CREATE INDEX documents_deleted ON documents (project_id, deleted_ms) WHERE deleted_ms IS NOT NULL;

CREATE TABLE revisions (
  id INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  revision TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES members (id),
  via TEXT NOT NULL,      -- 'api', 'disk', 'schedule'
  bytes INTEGER NOT NULL,
  content BLOB NOT NULL,  -- the stored bytes, deflated
  digest TEXT NOT NULL    -- JSON: what was learnt from the bytes when they were parsed
) STRICT;
CREATE INDEX revisions_document ON revisions (document_id, id);

-- A document's former file names, which answer for a while after a new title renamed it.
CREATE TABLE former_names (
  project_id TEXT NOT NULL REFERENCES projects (id),
  path_key TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES documents (id),
  until_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, path_key)
) STRICT, WITHOUT ROWID;

-- What a committed write still has to do, or make durable, on the disk. Finished at start after a crash.
CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  path TEXT,             -- within the home: where the revision belongs; null: nowhere, the file goes
  vacated TEXT,          -- within the home: where the file stood before, if elsewhere
  revision TEXT NOT NULL,
  previous TEXT,         -- the revision that the file had before; null: there was none
  staged TEXT            -- the name in .workroom/tmp of the bytes to be put in place; null: the file only moves
) STRICT;

-- Who was mentioned where; read_ms is null until they have read it.
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  document_id TEXT NOT NULL REFERENCES documents (id),
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  UNIQUE (member_id, document_id)
) STRICT;
CREATE INDEX inbox_unread ON inbox (member_id, at_ms) WHERE read_ms IS NULL;
