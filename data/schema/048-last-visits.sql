-- When a key last read where it is (GET /v1/fs), so that the next time it is told what changed since.
CREATE TABLE last_visits (
  key_id TEXT PRIMARY KEY REFERENCES keys (id) ON DELETE CASCADE,
  at_ms INTEGER NOT NULL,      -- Unix time, milliseconds
  cursor REAL NOT NULL,        -- the newest event of that time, as clients see it
  previous_ms INTEGER,         -- the visit before, of which the visit at at_ms was told; null: there is none
  previous_cursor REAL
) STRICT, WITHOUT ROWID;
