-- Asks: what somebody in a project waits for. A question is answered by a person, work is claimed and done.

CREATE TABLE asks (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL REFERENCES projects (id),
  kind TEXT NOT NULL CHECK (kind IN ('question', 'work')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,          -- mentions in canonical form
  options TEXT NOT NULL,       -- JSON array: what a question can be answered; empty for work
  state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'resolved', 'cancelled')),
  created_by TEXT NOT NULL REFERENCES members (id),
  assignees TEXT NOT NULL,     -- JSON array of member ids
  message_id TEXT REFERENCES messages (id), -- what announced it in a room; null: nothing did
  claimed_by TEXT REFERENCES members (id),  -- who holds it, or held it when it was resolved or cancelled
  resolved_by TEXT REFERENCES members (id),
  chosen_option TEXT,          -- the answer to a question
  resolution TEXT,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  CHECK (state <> 'claimed' OR claimed_by IS NOT NULL),
  CHECK ((state = 'resolved') = (resolved_by IS NOT NULL))
) STRICT;
CREATE INDEX asks_project ON asks (project_id, place);
CREATE INDEX asks_project_state ON asks (project_id, state, place);
CREATE INDEX asks_creator ON asks (created_by, place);
CREATE INDEX asks_creator_state ON asks (created_by, state, place);
CREATE INDEX asks_claimable ON asks (project_id, place) WHERE state = 'open' AND kind = 'work';
CREATE INDEX asks_resolved ON asks (project_id, updated_ms) WHERE state = 'resolved';

-- Who raised the ask that an event speaks of: they hear of it, also once they have left its project.
ALTER TABLE events ADD COLUMN asker_id TEXT REFERENCES members (id);
CREATE INDEX events_asker ON events (asker_id, tick) WHERE asker_id IS NOT NULL;

-- What a project is for, as its plan.md shows it. No row: nobody has said.
CREATE TABLE project_goals (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  goal TEXT NOT NULL,
  set_by TEXT NOT NULL REFERENCES members (id),
  set_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the plan and the map need of a card stands beside what its column lists, so that nothing is parsed for them.
UPDATE documents SET card = json_set(card, '$.isQuestion', json('true'))
FROM revisions WHERE document_id = documents.id AND revisions.revision = documents.revision AND card IS NOT NULL
  AND digest ->> '$.frontmatter.fields.kind' = 'question';
UPDATE documents SET card = json_set(card, '$.blockedBy', json(digest -> '$.frontmatter.fields."blocked-by"'))
FROM revisions WHERE document_id = documents.id AND revisions.revision = documents.revision AND card IS NOT NULL
  AND json_type(digest, '$.frontmatter.fields."blocked-by"') = 'array';
UPDATE documents SET card = json_set(card, '$.resolution', substr(digest ->> '$.frontmatter.fields.resolution', 1, 1000))
FROM revisions WHERE document_id = documents.id AND revisions.revision = documents.revision AND card IS NOT NULL
  AND json_type(digest, '$.frontmatter.fields.resolution') = 'text';
