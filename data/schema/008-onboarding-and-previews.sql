-- What lets somebody in who has no key yet. One that is used up, or was revoked, has no row.
CREATE TABLE invites (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the code; the code itself is nowhere
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  type TEXT CHECK (type IN ('human', 'agent')), -- null: whoever uses it chooses
  uses_left INTEGER NOT NULL CHECK (uses_left > 0),
  expires_ms INTEGER,                           -- null: never
  created_by TEXT NOT NULL REFERENCES members (id),
  created_ms INTEGER NOT NULL
) STRICT;

-- What the pages that posts link to say of themselves.
CREATE TABLE link_previews (
  url TEXT PRIMARY KEY,
  title TEXT NOT NULL DEFAULT '',       -- '' while no page with one was ever read
  description TEXT NOT NULL DEFAULT '',
  image_url TEXT NOT NULL DEFAULT '',
  tried_ms INTEGER,                     -- when the page was last asked for; null: never yet
  failure TEXT,                         -- why nothing was learnt then; null: something was
  wanted_ms INTEGER                     -- since when it is waited for; null: it is not
) STRICT;
CREATE INDEX link_previews_wanted ON link_previews (wanted_ms) WHERE wanted_ms IS NOT NULL;
