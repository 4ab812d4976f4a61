-- How far each member has read each room.

ALTER TABLE room_members ADD COLUMN read_place INTEGER NOT NULL DEFAULT 0; -- of the last message that they have read; 0: none

-- What was said before there were such marks counts as read.
UPDATE room_members SET read_place = (
  SELECT ifnull(max(place), 0) FROM messages
  WHERE messages.room_id = room_members.room_id AND thread_id IS NULL AND deleted_ms IS NULL
);

-- What is unread is counted without what its reader has said: the index alone answers it. It holds the two columns that
-- are null in all of it, since SQLite would look for them in the rows.
DROP INDEX messages_room;
CREATE INDEX messages_room ON messages (room_id, place, author_id, thread_id, deleted_ms)
  WHERE thread_id IS NULL AND deleted_ms IS NULL;

-- What was written lately in a project, and by whom: drafts are their author's alone.
CREATE INDEX documents_written ON documents (project_id, ifnull(edited_ms, published_ms), editor_id)
  WHERE deleted_ms IS NULL AND kind <> 'draft';

-- The work that somebody has claimed, in whatever project.
CREATE INDEX asks_claimed ON asks (claimed_by, place) WHERE state = 'claimed';
