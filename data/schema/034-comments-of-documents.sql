-- Comments are on documents and cards as well: post_id is the id of any of them. A comment may be edited.
ALTER TABLE comments ADD COLUMN edited_ms INTEGER; -- Unix time, milliseconds; null: it was not edited
