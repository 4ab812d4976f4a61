-- Slugs that rooms had before they were renamed: the addresses of their messages stand in letters and in other tools.
CREATE TABLE former_room_slugs (
  slug TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_room_slugs_room ON former_room_slugs (room_id);
