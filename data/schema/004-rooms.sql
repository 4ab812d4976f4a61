-- Chat rooms, who is in them, and what was said there.

CREATE TABLE rooms (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE, -- the name of its transcript, without .md
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('open', 'closed', 'direct')),
  description TEXT NOT NULL DEFAULT '',
  project_id TEXT REFERENCES projects (id),
  welcomes_people INTEGER NOT NULL DEFAULT 0, -- the one room that new people join by themselves
  created_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX rooms_welcoming ON rooms (welcomes_people) WHERE welcomes_people = 1;

CREATE TABLE room_members (
  room_id TEXT NOT NULL REFERENCES rooms (id),
  member_id TEXT NOT NULL REFERENCES members (id),
  involvement TEXT NOT NULL CHECK (involvement IN ('everything', 'mentions', 'nothing', 'invisible')),
  joined_ms INTEGER NOT NULL,
  PRIMARY KEY (room_id, member_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_members_member ON room_members (member_id);

-- A message that was deleted keeps its row: a page's cursor may name it.
CREATE TABLE messages (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  room_id TEXT NOT NULL REFERENCES rooms (id),
  thread_id TEXT REFERENCES messages (id), -- the message that it replies to
  author_id TEXT NOT NULL REFERENCES members (id),
  body TEXT NOT NULL,                      -- mentions in canonical form
  sent_via TEXT,                           -- the client that sent it, when one was named
  sent_ms INTEGER NOT NULL,
  edited_ms INTEGER,
  deleted_ms INTEGER,
  deleted_by TEXT REFERENCES members (id),
  reply_count INTEGER NOT NULL DEFAULT 0   -- of those that are not deleted
) STRICT;
CREATE INDEX messages_room ON messages (room_id, place) WHERE thread_id IS NULL AND deleted_ms IS NULL;
CREATE INDEX messages_thread ON messages (thread_id, place) WHERE thread_id IS NOT NULL AND deleted_ms IS NULL;

-- Who was mentioned where; read_ms is null until they have read it.
CREATE TABLE inbox_records (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  document_id TEXT REFERENCES documents (id), -- exactly one of these says what the mention stands in
  message_id TEXT REFERENCES messages (id),
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  CHECK ((document_id IS NULL) <> (message_id IS NULL)),
  UNIQUE (member_id, document_id),
  UNIQUE (member_id, message_id)
) STRICT;
INSERT INTO inbox_records (id, member_id, author_id, document_id, at_ms, read_ms)
  SELECT id, member_id, author_id, document_id, at_ms, read_ms FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_records RENAME TO inbox;
CREATE INDEX inbox_unread ON inbox (member_id, at_ms) WHERE read_ms IS NULL;
CREATE INDEX inbox_message ON inbox (message_id) WHERE message_id IS NOT NULL;

-- Message events. The indexes serve each thing that a reader may ask for by itself.
ALTER TABLE events ADD COLUMN room_id TEXT REFERENCES rooms (id);
ALTER TABLE events ADD COLUMN message_id TEXT REFERENCES messages (id);
CREATE INDEX events_room ON events (room_id, tick) WHERE room_id IS NOT NULL;
CREATE INDEX events_project ON events (project_id, tick) WHERE project_id IS NOT NULL;

-- What the first request with an Idempotency-Key was answered, so that a repeated one gets the same.
CREATE TABLE answered_requests (
  member_id TEXT NOT NULL REFERENCES members (id),
  key TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  answer TEXT NOT NULL, -- JSON
  PRIMARY KEY (member_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_requests_age ON answered_requests (at_ms);

-- What can be searched, as a reader sees it: mentions by name, no markup of ours.
CREATE TABLE search_entries (
  id INTEGER PRIMARY KEY, -- the rowid in search_text
  type TEXT NOT NULL,     -- 'message'; the kinds of documents follow
  subject_id TEXT NOT NULL UNIQUE
) STRICT;
CREATE VIRTUAL TABLE search_text USING fts5 (title, body, tokenize = 'unicode61 remove_diacritics 2');
