-- What is said below posts, and who is told of it.

-- A comment that was deleted keeps its row: the replies to it stay, and a page's cursor may name it.
CREATE TABLE comments (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  post_id TEXT NOT NULL REFERENCES documents (id),
  parent_id TEXT REFERENCES comments (id), -- the comment that it replies to, which is no reply itself
  author_id TEXT NOT NULL REFERENCES members (id),
  body TEXT NOT NULL,                      -- mentions in canonical form
  created_ms INTEGER NOT NULL,
  deleted_ms INTEGER,
  deleted_by TEXT REFERENCES members (id)
) STRICT;
CREATE INDEX comments_post ON comments (post_id, place);
CREATE INDEX comments_parent ON comments (parent_id) WHERE parent_id IS NOT NULL AND deleted_ms IS NULL;

-- A mention may stand in a comment as well.
CREATE TABLE inbox_records (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  document_id TEXT REFERENCES documents (id), -- exactly one of these says what the mention stands in
  message_id TEXT REFERENCES messages (id),
  comment_id TEXT REFERENCES comments (id),
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  mail_due_ms INTEGER,                        -- when it is to be mailed; null: no mail is due for it, or none any more
  CHECK ((document_id IS NOT NULL) + (message_id IS NOT NULL) + (comment_id IS NOT NULL) = 1),
  UNIQUE (member_id, document_id),
  UNIQUE (member_id, message_id),
  UNIQUE (member_id, comment_id)
) STRICT;
INSERT INTO inbox_records (id, member_id, author_id, document_id, message_id, at_ms, read_ms, mail_due_ms)
  SELECT id, member_id, author_id, document_id, message_id, at_ms, read_ms, mail_due_ms FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_records RENAME TO inbox;
CREATE INDEX inbox_unread ON inbox (member_id, at_ms) WHERE read_ms IS NULL;
CREATE INDEX inbox_message ON inbox (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX inbox_comment ON inbox (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX inbox_mail ON inbox (mail_due_ms, member_id) WHERE mail_due_ms IS NOT NULL;

-- And so may what an agent is called for. What it answers is posted as a message or as a comment.
CREATE TABLE new_deliveries (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  member_id TEXT NOT NULL REFERENCES members (id), -- the agent that is called
  event TEXT NOT NULL CHECK (event IN ('mention', 'message.created')),
  message_id TEXT REFERENCES messages (id),        -- exactly one of these says what it tells of
  document_id TEXT REFERENCES documents (id),
  comment_id TEXT REFERENCES comments (id),
  content_id INTEGER NOT NULL REFERENCES delivery_contents (id),
  tail TEXT NOT NULL,                              -- the rest of the body: what is this delivery's own
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled', 'held')),
  attempts INTEGER NOT NULL DEFAULT 0,             -- that were begun
  next_attempt_ms INTEGER,                         -- null: there is none
  last_status INTEGER,                             -- what the last attempt was answered; null: it was not
  last_error TEXT,                                 -- in one word why it failed; null: it did not
  reply_id TEXT,                                   -- the message or comment that the receiver's answer was posted as
  created_ms INTEGER NOT NULL,
  ended_ms INTEGER,                                -- null while it is pending
  CHECK ((message_id IS NOT NULL) + (document_id IS NOT NULL) + (comment_id IS NOT NULL) = 1),
  CHECK ((state = 'pending') = (ended_ms IS NULL)),
  CHECK ((state = 'pending') = (next_attempt_ms IS NOT NULL)),
  UNIQUE (member_id, message_id, event),
  UNIQUE (member_id, document_id, event),
  UNIQUE (member_id, comment_id, event)
) STRICT;
INSERT INTO new_deliveries (place, id, member_id, event, message_id, document_id, content_id, tail, state, attempts,
    next_attempt_ms, last_status, last_error, reply_id, created_ms, ended_ms)
  SELECT place, id, member_id, event, message_id, document_id, content_id, tail, state, attempts,
    next_attempt_ms, last_status, last_error, reply_id, created_ms, ended_ms FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE new_deliveries RENAME TO deliveries;
CREATE INDEX deliveries_due ON deliveries (member_id, next_attempt_ms, place) WHERE state = 'pending';
CREATE INDEX deliveries_member ON deliveries (member_id, place);
CREATE INDEX deliveries_age ON deliveries (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX deliveries_document ON deliveries (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX deliveries_content ON deliveries (content_id);
CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries BEGIN
  DELETE FROM delivery_contents
  WHERE id = old.content_id AND NOT EXISTS (SELECT 1 FROM deliveries WHERE content_id = old.content_id);
END;

-- Agents wake each other below a post as they do in a room: a place is either, by its id.
CREATE TABLE new_wakes (
  id INTEGER PRIMARY KEY,
  place_id TEXT NOT NULL,
  one_id TEXT NOT NULL REFERENCES members (id),
  other_id TEXT NOT NULL REFERENCES members (id),
  at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO new_wakes (id, place_id, one_id, other_id, at_ms) SELECT id, room_id, one_id, other_id, at_ms FROM wakes;
DROP TABLE wakes;
ALTER TABLE new_wakes RENAME TO wakes;
CREATE INDEX wakes_pair ON wakes (place_id, one_id, other_id, at_ms);

CREATE TABLE new_wake_chains (
  place_id TEXT NOT NULL,
  member_id TEXT NOT NULL REFERENCES members (id),
  hops INTEGER NOT NULL,
  PRIMARY KEY (place_id, member_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_wake_chains (place_id, member_id, hops) SELECT room_id, member_id, hops FROM wake_chains;
DROP TABLE wake_chains;
ALTER TABLE new_wake_chains RENAME TO wake_chains;

CREATE TABLE new_wake_holds (
  place_id TEXT NOT NULL,
  one_id TEXT NOT NULL REFERENCES members (id),
  other_id TEXT NOT NULL REFERENCES members (id),
  PRIMARY KEY (place_id, one_id, other_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_wake_holds (place_id, one_id, other_id) SELECT room_id, one_id, other_id FROM wake_holds;
DROP TABLE wake_holds;
ALTER TABLE new_wake_holds RENAME TO wake_holds;
