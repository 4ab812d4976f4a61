-- Mail that tells people of their mentions.

ALTER TABLE members ADD COLUMN email_notifications INTEGER NOT NULL DEFAULT 1;

-- When an unread mention is to be mailed; null: no mail is due for it, or none any more.
ALTER TABLE inbox ADD COLUMN mail_due_ms INTEGER;
CREATE INDEX inbox_mail ON inbox (mail_due_ms, member_id) WHERE mail_due_ms IS NOT NULL;

-- Letters that are written and not yet taken by the mail server.
CREATE TABLE mail_outbox (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  letter TEXT NOT NULL, -- JSON, without the address: that may change meanwhile
  attempts INTEGER NOT NULL DEFAULT 0, -- that have failed
  next_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_outbox_due ON mail_outbox (next_ms, id);

-- The workspace's own secrets, by what they are for. They are made when they are first needed.
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
