-- Code repositories that are linked to projects. Their mirrors lie in .workroom/repositories/<id>.git.
CREATE TABLE repositories (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  dir TEXT NOT NULL,                    -- its name in the tree
  name TEXT NOT NULL,                   -- as it is called at its source
  source TEXT NOT NULL,                 -- absolute path of a folder, or an http or https address
  default_branch TEXT NOT NULL,
  commit_id TEXT NOT NULL,              -- what the mirror holds of that branch; hex
  linked_by TEXT NOT NULL REFERENCES members (id),
  linked_ms INTEGER NOT NULL,
  refreshed_ms INTEGER NOT NULL,        -- when the source was last seen as it was then
  tried_ms INTEGER NOT NULL,            -- when it was last looked at, in vain or not
  failures INTEGER NOT NULL DEFAULT 0,  -- in a row
  problem TEXT,                         -- why the last look was in vain, in words; null: it was not
  due_ms INTEGER NOT NULL,              -- when it is to be looked at next
  UNIQUE (project_id, dir)
) STRICT;
CREATE INDEX repositories_due ON repositories (due_ms);

-- Where the pull requests of a project are: at a forge that speaks GitHub's REST.
CREATE TABLE forges (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  repository_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  api TEXT NOT NULL,                    -- base address, without a slash at its end
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  token TEXT,                           -- what requests carry; shown to nobody
  etag TEXT,                            -- of the first page of the list
  synced_ms INTEGER,                    -- the newest change that all of the list was read after
  refreshed_ms INTEGER,                 -- when the list was last known to be as it is here
  tried_ms INTEGER,                     -- when it was last asked for, in vain or not
  problem TEXT,                         -- why the last request was in vain, in words; null: it was not
  closed_until_ms INTEGER NOT NULL DEFAULT 0 -- the forge wants to hear nothing before
) STRICT;

CREATE TABLE pull_requests (
  project_id TEXT NOT NULL REFERENCES projects (id),
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed', 'merged')),
  is_draft INTEGER NOT NULL,
  head TEXT NOT NULL,                   -- branch
  base TEXT NOT NULL,                   -- branch
  head_commit TEXT NOT NULL,
  author TEXT NOT NULL,                 -- at the forge
  description TEXT NOT NULL,
  forge_url TEXT NOT NULL,              -- its page there; '' where none is known
  updated_ms INTEGER NOT NULL,
  checked_ms INTEGER NOT NULL,          -- when it was last known to be as it is here
  etag TEXT,                            -- of its own record
  diff TEXT,                            -- null: not read yet, or withheld by the forge
  diff_of TEXT,                         -- the commit and base branch that the diff is of
  diff_is_cut INTEGER NOT NULL DEFAULT 0,
  diff_ms INTEGER,                      -- when the diff was read
  PRIMARY KEY (project_id, number)
) STRICT;
CREATE INDEX pull_requests_updated ON pull_requests (project_id, updated_ms);
