-- A comment may be on a block of the text. It follows the block when that is edited (docs/interface.md#comments-on-a-block).
ALTER TABLE comments ADD COLUMN block TEXT; -- the id of the block, or its last one if it was removed; null: the whole document
ALTER TABLE comments ADD COLUMN quote TEXT; -- what the block said when the comment was written
CREATE INDEX comments_on_blocks ON comments (post_id) WHERE block IS NOT NULL;

-- What changed about a document while its bytes stayed. Changes of the text are in revisions.
CREATE TABLE document_moves (
  id INTEGER PRIMARY KEY,                                        -- rises in the order of the commits
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('moved', 'published', 'deleted', 'restored')),
  actor_id TEXT NOT NULL REFERENCES members (id),
  via TEXT NOT NULL CHECK (via IN ('api', 'disk', 'schedule')),
  from_path TEXT NOT NULL,                                       -- in the folder of its project at the time
  to_path TEXT NOT NULL,
  from_project TEXT,                                             -- null: it stayed in its project
  at_ms INTEGER NOT NULL                                         -- Unix time, milliseconds
) STRICT;
CREATE INDEX document_moves_document ON document_moves (document_id, id);
