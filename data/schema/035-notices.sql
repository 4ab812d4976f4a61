-- What concerns a person without mentioning them.

CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  kind TEXT NOT NULL CHECK (kind IN ('card', 'ask', 'comment', 'reply', 'direct', 'answer')),
  subject_id TEXT NOT NULL, -- the card, the ask, the comment or the message
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  mail_due_ms INTEGER,      -- when it is to be mailed; null: no mail is due for it, or none any more
  UNIQUE (member_id, kind, subject_id)
) STRICT;
CREATE INDEX notices_unread ON notices (member_id, at_ms) WHERE read_ms IS NULL;
CREATE INDEX notices_subject ON notices (subject_id);
CREATE INDEX notices_mail ON notices (mail_due_ms, member_id) WHERE mail_due_ms IS NOT NULL;

-- What a member has chosen about being notified. No row: everything, at any time.
CREATE TABLE notification_settings (
  member_id TEXT PRIMARY KEY REFERENCES members (id),
  unmailed TEXT NOT NULL,       -- JSON array: the kinds that are not mailed, also `mention`
  quiet_from INTEGER,           -- the daily quiet hours, in minutes of the day; null: there are none
  quiet_until INTEGER,
  time_zone TEXT NOT NULL,      -- IANA name, of the quiet hours
  pause_until_ms INTEGER,       -- do not disturb until then
  CHECK ((quiet_from IS NULL) = (quiet_until IS NULL))
) STRICT, WITHOUT ROWID;
