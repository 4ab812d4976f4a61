-- What those who wait for events need: whose access has changed, and what of the log has gone.

-- Whose rooms, projects, role, status or keys have changed, and in which order: one row a member, so that it stays small.
-- Triggers write it, so that it holds whatever process makes a change, and from wherever in the code.
CREATE TABLE access_changes (
  member_id TEXT PRIMARY KEY REFERENCES members (id),
  change INTEGER NOT NULL -- rises with every change of anybody's
) STRICT, WITHOUT ROWID;
CREATE INDEX access_changes_order ON access_changes (change);

CREATE TRIGGER room_joined AFTER INSERT ON room_members BEGIN
  INSERT INTO access_changes VALUES (new.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
CREATE TRIGGER room_involvement_set AFTER UPDATE OF involvement ON room_members BEGIN
  INSERT INTO access_changes VALUES (new.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
CREATE TRIGGER room_left AFTER DELETE ON room_members BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
CREATE TRIGGER project_joined AFTER INSERT ON project_members BEGIN
  INSERT INTO access_changes VALUES (new.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
CREATE TRIGGER project_left AFTER DELETE ON project_members BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
-- Owners and admins see every project.
CREATE TRIGGER project_made AFTER INSERT ON projects BEGIN
  INSERT INTO access_changes
    SELECT id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes) FROM members WHERE role <> 'member'
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
CREATE TRIGGER member_changed AFTER UPDATE ON members WHEN new.role <> old.role OR new.status <> old.status BEGIN
  INSERT INTO access_changes VALUES (new.id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;
CREATE TRIGGER key_revoked AFTER DELETE ON keys BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

-- Document events go after a while, oldest first.
CREATE INDEX events_document_age ON events (at_ms) WHERE document_id IS NOT NULL;
ALTER TABLE event_clock ADD COLUMN trimmed_tick INTEGER NOT NULL DEFAULT 0; -- the newest that has gone
