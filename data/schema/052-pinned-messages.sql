-- Messages that are pinned in their rooms, in the order in which they were pinned.
CREATE TABLE pinned_messages (
  place INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
  room_id TEXT NOT NULL,       -- of the message
  pinned_by TEXT NOT NULL REFERENCES members (id),
  at_ms INTEGER NOT NULL       -- Unix time, milliseconds
) STRICT;

CREATE INDEX pinned_messages_of_room ON pinned_messages (room_id, place);
