-- Files that were uploaded to a room. The bytes are on the disk, in rooms/<room_id>/<id>/<name>.
CREATE TABLE room_attachments (
  id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,                 -- no reference: the row outlives the room until the file is removed
  name TEXT NOT NULL,
  type TEXT NOT NULL,                    -- media type, without parameters
  size INTEGER NOT NULL,                 -- bytes
  uploaded_by TEXT NOT NULL REFERENCES members (id),
  message_id TEXT,                       -- the first message that links to it, with which it is deleted; null: none yet
  unused_ms INTEGER,                     -- since when no message links to it, Unix milliseconds; null: one does
  deleted_ms INTEGER                     -- when it was deleted, Unix milliseconds; its file is removed soon; null: it is there
) STRICT, WITHOUT ROWID;
CREATE INDEX room_attachments_room ON room_attachments (room_id);
CREATE INDEX room_attachments_message ON room_attachments (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX room_attachments_unused ON room_attachments (unused_ms) WHERE unused_ms IS NOT NULL;
CREATE INDEX room_attachments_deleted ON room_attachments (deleted_ms) WHERE deleted_ms IS NOT NULL;
