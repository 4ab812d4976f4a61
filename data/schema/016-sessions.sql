-- Signing in with a browser.

-- What signs a member in, once. A link that was used has no row.
CREATE TABLE signin_links (
  hash BLOB PRIMARY KEY, -- SHA-256 of its token; the token itself is nowhere
  member_id TEXT NOT NULL REFERENCES members (id),
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX signin_links_member ON signin_links (member_id);

-- The browsers in which somebody is signed in. A session that was ended has no row.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  hash BLOB NOT NULL UNIQUE,     -- SHA-256 of the cookie's token; the token itself is nowhere
  device TEXT NOT NULL,          -- browser and system, as people know them
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER NOT NULL  -- about: it is not written down for every request
) STRICT;
CREATE INDEX sessions_member ON sessions (member_id);
CREATE INDEX sessions_last_used ON sessions (last_used_ms);

-- Requests that are held for a session end with it.
CREATE TRIGGER session_ended AFTER DELETE ON sessions BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

-- Whichever process deactivates a member, nobody is signed in as them, also when they are activated again.
CREATE TRIGGER member_signed_out AFTER UPDATE OF status ON members WHEN new.status = 'deactivated' BEGIN
  DELETE FROM sessions WHERE member_id = new.id;
  DELETE FROM signin_links WHERE member_id = new.id;
END;

-- A letter that a member has asked for goes out also where their mail is off, and is of no use after this time; null:
-- nobody has asked for it.
ALTER TABLE mail_outbox ADD COLUMN asked_until_ms INTEGER;

-- The base address at which the workspace was served last, for links that other processes make; null: never yet.
ALTER TABLE workspace ADD COLUMN address TEXT;
