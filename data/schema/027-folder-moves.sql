-- Folders that are being moved over an interface, until the move is durable on the disk. Finished, or undone, at start
-- after a crash. Paths are within the home.

CREATE TABLE folder_moves (
  id INTEGER PRIMARY KEY,
  from_path TEXT NOT NULL,
  to_path TEXT NOT NULL,
  aside_path TEXT,                           -- where the folder goes that stood at to_path; null: none did
  is_committed INTEGER NOT NULL DEFAULT 0    -- 1: the rows of its documents say that it is at to_path
) STRICT;
