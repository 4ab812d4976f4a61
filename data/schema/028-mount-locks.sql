-- Locks that programs hold over the mount, so that a restart takes none from them.

CREATE TABLE mount_locks (
  token TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  path TEXT NOT NULL,           -- JSON: the names on the way from the top of the mount
  is_deep INTEGER NOT NULL,     -- also over everything below
  is_shared INTEGER NOT NULL,
  owner TEXT NOT NULL,          -- who says to hold it, for people
  is_owner_address INTEGER NOT NULL,
  seconds INTEGER NOT NULL,     -- as they were granted
  until_ms INTEGER NOT NULL
) STRICT;
