-- The names of uploaded files, as the folders below files/ were last listed, so that a search lists none.
CREATE TABLE uploaded_folders (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  path TEXT NOT NULL, -- below files/; '' for files/ itself
  stamp TEXT,         -- inode and times of the folder when it was listed; null: it is to be listed again
  UNIQUE (project_id, path)
) STRICT;
CREATE TABLE uploaded_files (
  id INTEGER PRIMARY KEY, -- the rowid in uploaded_names
  folder_id INTEGER NOT NULL REFERENCES uploaded_folders (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  UNIQUE (folder_id, name)
) STRICT;

-- Three letters in a row of each path, case and accents folded: what holds them all is then compared with the query.
CREATE VIRTUAL TABLE uploaded_names USING fts5 (
  name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1'
);

-- The same of the titles of documents, for words with a small mistake. The rowid is that of search_entries.
CREATE VIRTUAL TABLE document_titles USING fts5 (
  title, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1'
);
INSERT INTO document_titles (rowid, title)
SELECT search_entries.id, ' ' || title || ' ' FROM search_entries JOIN documents ON documents.id = subject_id;
