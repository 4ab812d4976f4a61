-- The event log. A row is thin: what a reader may see of it is decided when it is read.

CREATE TABLE events (
  tick INTEGER PRIMARY KEY, -- the cursor × 1000
  type TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  actor_id TEXT REFERENCES members (id),
  project_id TEXT REFERENCES projects (id),
  document_id TEXT REFERENCES documents (id),
  via TEXT,
  detail TEXT NOT NULL      -- JSON: what the row was at that moment, such as its path, its title and its blockIds
) STRICT;
CREATE INDEX events_document ON events (document_id, tick) WHERE document_id IS NOT NULL;

-- The last tick that was issued. Never derived from the log, which trimming shortens.
CREATE TABLE event_clock (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  last_tick INTEGER NOT NULL,
  epoch TEXT NOT NULL -- a random id of this database, changed by a restore
) STRICT;
