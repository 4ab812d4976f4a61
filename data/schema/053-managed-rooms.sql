-- Who created a room; null if that is not known.
ALTER TABLE rooms ADD COLUMN creator_id TEXT REFERENCES members (id);
UPDATE rooms SET creator_id = (
  SELECT min(member_id) FROM room_members
  WHERE room_id = rooms.id AND joined_ms = created_ms HAVING count(*) = 1
) WHERE welcomes_people = 0;

-- Unix milliseconds; null: it is not archived, it was not deleted. The slug of a deleted room is its id.
ALTER TABLE rooms ADD COLUMN archived_ms INTEGER;
ALTER TABLE rooms ADD COLUMN deleted_ms INTEGER;
ALTER TABLE rooms ADD COLUMN deleted_by TEXT REFERENCES members (id);
-- Whether the messages of a deleted room are deleted as well, which takes more than one transaction.
ALTER TABLE rooms ADD COLUMN is_emptied INTEGER NOT NULL DEFAULT 0;

-- Members are told that they were removed from a room: `removed`, with the room as its subject.
CREATE TABLE new_notices (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  kind TEXT NOT NULL CHECK (kind IN ('card', 'ask', 'comment', 'reply', 'direct', 'answer', 'removed')),
  subject_id TEXT NOT NULL, -- the card, the ask, the comment, the message or the room
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  mail_due_ms INTEGER,      -- when it is to be mailed; null: no mail is due for it, or none any more
  UNIQUE (member_id, kind, subject_id)
) STRICT;
INSERT INTO new_notices (id, member_id, author_id, kind, subject_id, at_ms, read_ms, mail_due_ms)
  SELECT id, member_id, author_id, kind, subject_id, at_ms, read_ms, mail_due_ms FROM notices;
DROP TABLE notices;
ALTER TABLE new_notices RENAME TO notices;
CREATE INDEX notices_unread ON notices (member_id, at_ms) WHERE read_ms IS NULL;
CREATE INDEX notices_subject ON notices (subject_id);
CREATE INDEX notices_mail ON notices (mail_due_ms, member_id) WHERE mail_due_ms IS NOT NULL;
