-- What documents link to, as their newest revision says it. The rows of a deleted document stay while it can come back.
CREATE TABLE links (
  document_id TEXT NOT NULL REFERENCES documents (id), -- that holds the link
  place INTEGER NOT NULL, -- its order in there, from 0
  kind TEXT NOT NULL CHECK (kind IN ('card', 'id', 'pull', 'title', 'path')),
  key TEXT NOT NULL,      -- what the target goes by: a number, an id, a folded title, a project's id and a place in it
  token TEXT NOT NULL,    -- as it is written; of a path the destination alone
  context TEXT NOT NULL,  -- the text around it
  PRIMARY KEY (document_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_key ON links (key, kind);

-- Documents of every kind, by the type 'document', and comments join the messages in the search. What may be found of
-- them, and by whom, is asked of their own tables.
ALTER TABLE search_entries ADD COLUMN revision TEXT; -- of a document: the one whose text, and links, these are
