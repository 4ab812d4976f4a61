-- What was rendered says by which program and of which revision, so that what is missing or was made by an older program
-- can be made anew before anybody asks for it.
DROP TABLE rendered_documents;
CREATE TABLE rendered_documents (
  document_id TEXT PRIMARY KEY REFERENCES documents (id),
  revision TEXT NOT NULL,
  program TEXT NOT NULL, -- SHA-256 of its code
  source BLOB NOT NULL,  -- SHA-256 of all else that the HTML was made of
  html BLOB NOT NULL     -- JSON, deflated
) STRICT;
