-- Passkeys with which people sign in instead of a key or a mailed link. Times are Unix milliseconds.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  credential_id TEXT NOT NULL UNIQUE, -- base64url
  public_key BLOB NOT NULL,           -- COSE
  counter INTEGER NOT NULL,           -- of signatures, as last told by the authenticator; 0 where it counts none
  transports TEXT NOT NULL,           -- JSON array
  host TEXT NOT NULL,                 -- the host name for which it was made, and alone works
  label TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER
) STRICT;
CREATE INDEX passkeys_member ON passkeys (member_id);
