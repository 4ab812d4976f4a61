-- Long documents as HTML, so that nobody who opens one after a restart waits for its parse. Whatever is missing here, or
-- was made of something else, is made anew.
CREATE TABLE rendered_documents (
  document_id TEXT PRIMARY KEY REFERENCES documents (id),
  source BLOB NOT NULL, -- SHA-256 of all that it was made of
  html BLOB NOT NULL    -- JSON, deflated
) STRICT;
