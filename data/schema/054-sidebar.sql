-- Where members have a room in their sidebar: among their favourites, or else in a section of their own by its name.
ALTER TABLE room_members ADD COLUMN is_favourite INTEGER NOT NULL DEFAULT 0;
ALTER TABLE room_members ADD COLUMN section TEXT; -- null: in none
