-- The links that a project keeps in its links.md, in their order.
CREATE TABLE project_links (
  project_id TEXT NOT NULL REFERENCES projects (id),
  place INTEGER NOT NULL, -- 0 is the first
  title TEXT NOT NULL,    -- title, url and note as they are written, markdown and all
  url TEXT NOT NULL,
  note TEXT NOT NULL,     -- '' for none
  PRIMARY KEY (project_id, place)
) STRICT, WITHOUT ROWID;

-- What the report of usage counts, so that it never reads a row with the text in it.
CREATE INDEX revisions_usage ON revisions (at_ms, author_id);
CREATE INDEX revisions_size ON revisions (document_id, bytes);
CREATE INDEX messages_usage ON messages (sent_ms, author_id);
CREATE INDEX comments_usage ON comments (created_ms, author_id);
CREATE INDEX deliveries_usage ON deliveries (member_id, state);
