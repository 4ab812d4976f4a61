-- What is attached to a post or draft: a JSON array of { id, name, type, size }; null: nothing. The bytes lie on the
-- disk, in attachments/<document id>/<name> of the project's folder. It stands with the document, so that a read of the
-- document, which shows it, needs no second query.
ALTER TABLE documents ADD COLUMN attachments TEXT;
