-- How many an invite was made for; of older ones, how many it was still good for.
ALTER TABLE invites ADD COLUMN uses INTEGER NOT NULL DEFAULT 1;
UPDATE invites SET uses = uses_left;

-- What the key might do by which an agent's address was set, as a JSON array of scopes; null: everything.
ALTER TABLE webhooks ADD COLUMN scopes TEXT;

-- The exceptions of outbound.allow with which the workspace was served last, as a JSON array; null: never yet.
ALTER TABLE workspace ADD COLUMN outbound_allow TEXT;
