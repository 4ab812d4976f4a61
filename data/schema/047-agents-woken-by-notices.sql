-- Agents are called for more: a reply to them, a comment on what they wrote, a card or an ask that is assigned to them.
CREATE TABLE new_deliveries (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  member_id TEXT NOT NULL REFERENCES members (id), -- the agent that is called
  event TEXT NOT NULL CHECK (event IN ('mention', 'message.created', 'reply', 'comment', 'assigned')),
  message_id TEXT REFERENCES messages (id),        -- exactly one of these says what it tells of
  document_id TEXT REFERENCES documents (id),
  comment_id TEXT REFERENCES comments (id),
  ask_id TEXT REFERENCES asks (id),
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
  CHECK ((message_id IS NOT NULL) + (document_id IS NOT NULL) + (comment_id IS NOT NULL) + (ask_id IS NOT NULL) = 1),
  CHECK ((state = 'pending') = (ended_ms IS NULL)),
  CHECK ((state = 'pending') = (next_attempt_ms IS NOT NULL)),
  UNIQUE (member_id, message_id, event),
  UNIQUE (member_id, comment_id, event)
) STRICT;
INSERT INTO new_deliveries (place, id, member_id, event, message_id, document_id, comment_id, content_id, tail, state,
    attempts, next_attempt_ms, last_status, last_error, reply_id, created_ms, ended_ms)
  SELECT place, id, member_id, event, message_id, document_id, comment_id, content_id, tail, state, attempts,
    next_attempt_ms, last_status, last_error, reply_id, created_ms, ended_ms FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE new_deliveries RENAME TO deliveries;
CREATE INDEX deliveries_due ON deliveries (member_id, next_attempt_ms, place) WHERE state = 'pending';
CREATE INDEX deliveries_member ON deliveries (member_id, place);
CREATE INDEX deliveries_age ON deliveries (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX deliveries_document ON deliveries (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX deliveries_usage ON deliveries (member_id, state);
CREATE INDEX deliveries_content ON deliveries (content_id);
-- A post mentions once; a card can be assigned again.
CREATE UNIQUE INDEX deliveries_of_post ON deliveries (member_id, document_id, event) WHERE event <> 'assigned';
CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries BEGIN
  DELETE FROM delivery_contents
  WHERE id = old.content_id AND NOT EXISTS (SELECT 1 FROM deliveries WHERE content_id = old.content_id);
END;

-- A message in a direct room wakes an agent, unless it chooses otherwise from now on.
UPDATE room_members SET involvement = 'everything'
WHERE involvement = 'mentions'
  AND room_id IN (SELECT id FROM rooms WHERE type = 'direct')
  AND member_id IN (SELECT id FROM members WHERE type = 'agent');
