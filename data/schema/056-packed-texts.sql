-- What takes less space. Functions with a name that begins with `packed` are in data/migrations.ts.

-- The text of an entry is kept beside its index: of a document deflated, with its revision as the dictionary and with the
-- text around each link (data/compression.ts); of messages and comments as it is. null: it is learnt again.
ALTER TABLE search_entries ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0; -- of the text
ALTER TABLE search_entries ADD COLUMN text ANY;
UPDATE search_entries SET
  bytes = (SELECT octet_length(c1) FROM search_text_content AS content WHERE content.id = search_entries.id),
  text = CASE type
    WHEN 'document' THEN packed_text(
      (SELECT c1 FROM search_text_content AS content WHERE content.id = search_entries.id),
      (SELECT json_group_array(context ORDER BY place) FROM links WHERE document_id = subject_id),
      (SELECT content FROM revisions WHERE document_id = subject_id AND revisions.revision = search_entries.revision
        ORDER BY revisions.id DESC LIMIT 1))
    ELSE (SELECT c1 FROM search_text_content AS content WHERE content.id = search_entries.id) END;
UPDATE search_entries SET revision = NULL WHERE text IS NULL;

CREATE VIRTUAL TABLE new_search_text USING fts5 (
  title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO new_search_text (rowid, title, body) SELECT id, c0, c1 FROM search_text_content;
DROP TABLE search_text;
ALTER TABLE new_search_text RENAME TO search_text;

-- `place` is that of the link's context in the packed text.
ALTER TABLE links DROP COLUMN context;

-- The stat of a file as eight numbers (data/packed-stamps.ts) instead of JSON.
UPDATE documents SET stamp = packed_stamp(stamp) WHERE stamp IS NOT NULL;

-- '' where the key is the path itself, as of most.
DROP INDEX documents_live_key;
UPDATE documents SET path_key = '' WHERE path_key = path;
CREATE INDEX documents_live_key ON documents (project_id, path_key) WHERE deleted_ms IS NULL AND path_key <> '';

-- One index instead of two.
DROP INDEX revisions_size;
DROP INDEX revisions_document;
CREATE INDEX revisions_size ON revisions (document_id, id, bytes);
