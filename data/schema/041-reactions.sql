-- Reactions to messages, in the order in which they were added: one for each member and emoji.
CREATE TABLE reactions (
  place INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  room_id TEXT NOT NULL,       -- of the message
  member_id TEXT NOT NULL REFERENCES members (id),
  emoji TEXT NOT NULL,         -- one emoji, fully qualified
  at_ms INTEGER NOT NULL,      -- Unix time, milliseconds
  UNIQUE (message_id, emoji, member_id)
) STRICT;
