-- The browsers that show notifications, each with the session in which it has asked for them.
CREATE TABLE push_subscriptions (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  session_id TEXT NOT NULL,
  endpoint TEXT NOT NULL UNIQUE, -- the URL of the push service
  public_key TEXT NOT NULL,      -- of the browser, base64url
  auth TEXT NOT NULL,            -- the secret shared with the browser, base64url
  device TEXT NOT NULL,          -- browser and system, as people know them
  muted TEXT NOT NULL,           -- JSON array: the kinds that are not shown there
  has_sound INTEGER NOT NULL DEFAULT 1,
  created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX push_subscriptions_member ON push_subscriptions (member_id);
CREATE INDEX push_subscriptions_session ON push_subscriptions (session_id);

-- What is to be pushed. What it says is read when it is sent.
CREATE TABLE push_queue (
  id INTEGER PRIMARY KEY,
  subscription_id TEXT NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, -- that have failed
  next_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL            -- when it becomes useless
) STRICT;
CREATE INDEX push_queue_due ON push_queue (next_ms, id);
CREATE INDEX push_queue_subscription ON push_queue (subscription_id, id);

-- Whichever process ends a session, nothing more is pushed to its browser.
CREATE TRIGGER push_ended AFTER DELETE ON sessions BEGIN
  DELETE FROM push_queue WHERE subscription_id IN (SELECT id FROM push_subscriptions WHERE session_id = old.id);
  DELETE FROM push_subscriptions WHERE session_id = old.id;
END;
