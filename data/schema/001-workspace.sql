-- Times are Unix milliseconds (_ms). Ids are text: a prefix and a ULID.

CREATE TABLE workspace (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('human', 'agent')),
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  status TEXT NOT NULL CHECK (status IN ('active', 'deactivated')),
  email TEXT NOT NULL DEFAULT '',
  owner_id TEXT REFERENCES members (id),
  avatar_url TEXT NOT NULL DEFAULT '',
  status_text TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX members_active_name ON members (name) WHERE status = 'active';

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the key; the key itself is nowhere
  label TEXT NOT NULL,
  scopes TEXT NOT NULL,      -- JSON array of scope names
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER
) STRICT;
CREATE INDEX keys_member ON keys (member_id);

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL UNIQUE, -- its folder's name under projects/, as it is spelled on the disk
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  archived_ms INTEGER,
  deletions_confirmed_ms INTEGER -- an owner said: what is missing on the disk may go
) STRICT;

CREATE TABLE project_members (
  project_id TEXT NOT NULL REFERENCES projects (id),
  member_id TEXT NOT NULL REFERENCES members (id),
  role TEXT NOT NULL CHECK (role IN ('lead', 'member')),
  joined_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, member_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_members_member ON project_members (member_id);
