-- A new document's file is named by its title. The name that it was written to is kept like a former name
-- (`is_requested` 1): it never was the name of a file.
ALTER TABLE former_names ADD COLUMN is_requested INTEGER NOT NULL DEFAULT 0;
CREATE INDEX former_names_until ON former_names (until_ms);
