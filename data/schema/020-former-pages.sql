-- The pages that documents were read on before they were moved or published: whoever opens one is led on.
CREATE TABLE former_pages (
  project_id TEXT NOT NULL REFERENCES projects (id),
  page_key TEXT NOT NULL, -- within the project's pages, folded for comparing
  author_id TEXT NOT NULL, -- of a draft, whose page is its author's alone; else empty
  document_id TEXT NOT NULL REFERENCES documents (id),
  PRIMARY KEY (project_id, page_key, author_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_pages_document ON former_pages (document_id);
