-- Finds the first message of a room from a date on.
CREATE INDEX messages_sent ON messages (room_id, sent_ms) WHERE thread_id IS NULL AND deleted_ms IS NULL;
