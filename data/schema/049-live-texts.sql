-- The text of a document while it is edited together (docs/architecture.md#editing-together). It is base_revision changed by
-- base_unsaved, which is version base_version, and then by the steps after it.
CREATE TABLE live_texts (
  document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
  epoch TEXT NOT NULL,             -- clients resume versions of the same epoch alone
  base_revision TEXT NOT NULL,
  base_version INTEGER NOT NULL,
  base_unsaved TEXT NOT NULL,      -- JSON of a change set
  is_saved INTEGER NOT NULL,       -- whether base_revision holds all
  changed_ms INTEGER NOT NULL      -- Unix time, milliseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX live_texts_unsaved ON live_texts (document_id) WHERE is_saved = 0;
CREATE INDEX live_texts_age ON live_texts (changed_ms);

CREATE TABLE live_steps (
  document_id TEXT NOT NULL REFERENCES live_texts (document_id) ON DELETE CASCADE,
  version INTEGER NOT NULL,        -- of the text after the step
  client_id TEXT NOT NULL,
  seq INTEGER NOT NULL,            -- counted by the client, so that a step that is sent again is known
  member_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  changes TEXT NOT NULL,           -- JSON of a change set
  PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

-- Who wrote in a revision that several people wrote.
CREATE TABLE revision_writers (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  revision TEXT NOT NULL,
  member_id TEXT NOT NULL REFERENCES members (id),
  characters INTEGER NOT NULL,     -- that they wrote or deleted
  PRIMARY KEY (document_id, revision, member_id)
) STRICT, WITHOUT ROWID;
