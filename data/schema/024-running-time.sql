-- How long the workspace has been open in all, and what the wall clock said meanwhile: what is kept for a time is let go
-- of by both, so that a clock that is wrong for a moment destroys nothing.
CREATE TABLE running_time (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  running_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL, -- when that was written down
  jumped_ms INTEGER         -- the running time at which the wall clock was last seen to jump
) STRICT;

-- Parts of that time, an hour long or until the clock jumped.
CREATE TABLE running_parts (
  running_ms INTEGER PRIMARY KEY, -- at which it begins
  wall_ms INTEGER NOT NULL,       -- what the clock said then
  least_ms INTEGER NOT NULL       -- the least that the clock has said in it
) STRICT;
