-- When a key stops working, Unix milliseconds; null: never.
ALTER TABLE keys ADD COLUMN expires_ms INTEGER;

-- The projects and rooms that a new member joins with an invite, as JSON arrays of ids.
ALTER TABLE invites ADD COLUMN projects TEXT NOT NULL DEFAULT '[]';
ALTER TABLE invites ADD COLUMN rooms TEXT NOT NULL DEFAULT '[]';
