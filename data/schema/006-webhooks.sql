-- Where agents are called when they are spoken to, and what each call brings.

CREATE TABLE webhooks (
  member_id TEXT PRIMARY KEY REFERENCES members (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,                -- JSON array of 'mention' and 'message.created'
  secret TEXT NOT NULL,                -- signs what is sent, so that it cannot be kept as a hash
  secret_created_ms INTEGER NOT NULL,
  previous_secret TEXT,                -- the one before it, until the end of the overlap
  previous_until_ms INTEGER,
  failures INTEGER NOT NULL DEFAULT 0, -- deliveries in a row that have failed
  failing_since_ms INTEGER             -- when the first of them failed; null: there is none
) STRICT, WITHOUT ROWID;

-- What deliveries have in common, kept once for all agents that are told of the same thing.
CREATE TABLE delivery_contents (
  id INTEGER PRIMARY KEY,
  head BLOB NOT NULL -- how the body of each of them begins
) STRICT;

CREATE TABLE deliveries (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  member_id TEXT NOT NULL REFERENCES members (id), -- the agent that is called
  event TEXT NOT NULL CHECK (event IN ('mention', 'message.created')),
  message_id TEXT REFERENCES messages (id),        -- exactly one of these says what it tells of
  document_id TEXT REFERENCES documents (id),
  content_id INTEGER NOT NULL REFERENCES delivery_contents (id),
  tail TEXT NOT NULL,                              -- the rest of the body: what is this delivery's own
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled', 'held')),
  attempts INTEGER NOT NULL DEFAULT 0,             -- that were begun
  next_attempt_ms INTEGER,                         -- null: there is none
  last_status INTEGER,                             -- what the last attempt was answered; null: it was not
  last_error TEXT,                                 -- in one word why it failed; null: it did not
  reply_id TEXT REFERENCES messages (id),          -- what the receiver's answer was posted as
  created_ms INTEGER NOT NULL,
  ended_ms INTEGER,                                -- null while it is pending
  CHECK ((message_id IS NULL) <> (document_id IS NULL)),
  CHECK ((state = 'pending') = (ended_ms IS NULL)),
  CHECK ((state = 'pending') = (next_attempt_ms IS NOT NULL)),
  UNIQUE (member_id, message_id, event),
  UNIQUE (member_id, document_id, event)
) STRICT;
CREATE INDEX deliveries_due ON deliveries (member_id, next_attempt_ms, place) WHERE state = 'pending';
CREATE INDEX deliveries_member ON deliveries (member_id, place);
CREATE INDEX deliveries_age ON deliveries (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX deliveries_document ON deliveries (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX deliveries_content ON deliveries (content_id);
CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries BEGIN
  DELETE FROM delivery_contents
  WHERE id = old.content_id AND NOT EXISTS (SELECT 1 FROM deliveries WHERE content_id = old.content_id);
END;

-- How agents wake each other in a room. All of it is forgotten when a person speaks there.
-- The two of a pair stand in the order of their ids.

-- When one of two agents woke the other, for as long as that counts.
CREATE TABLE wakes (
  id INTEGER PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (id),
  one_id TEXT NOT NULL REFERENCES members (id),
  other_id TEXT NOT NULL REFERENCES members (id),
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX wakes_pair ON wakes (room_id, one_id, other_id, at_ms);

-- How many agents in a row have spoken before this one was woken: the longest such chain.
CREATE TABLE wake_chains (
  room_id TEXT NOT NULL REFERENCES rooms (id),
  member_id TEXT NOT NULL REFERENCES members (id),
  hops INTEGER NOT NULL,
  PRIMARY KEY (room_id, member_id)
) STRICT, WITHOUT ROWID;

-- Pairs whose webhooks are held back.
CREATE TABLE wake_holds (
  room_id TEXT NOT NULL REFERENCES rooms (id),
  one_id TEXT NOT NULL REFERENCES members (id),
  other_id TEXT NOT NULL REFERENCES members (id),
  PRIMARY KEY (room_id, one_id, other_id)
) STRICT, WITHOUT ROWID;
