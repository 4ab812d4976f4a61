-- Made from the numbered files by `npm run schema`; a test compares them.

CREATE TABLE workspace (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  created_ms INTEGER NOT NULL
, address TEXT, outbound_allow TEXT) STRICT;

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('human', 'agent')),
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  status TEXT NOT NULL CHECK (status IN ('active', 'deactivated')),
  email TEXT NOT NULL DEFAULT '',
  owner_id TEXT REFERENCES members (id),
  avatar_url TEXT NOT NULL DEFAULT '',
  status_text TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL
, email_notifications INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the key; the key itself is nowhere
  label TEXT NOT NULL,
  scopes TEXT NOT NULL,      -- JSON array of scope names
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER
, expires_ms INTEGER) STRICT;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL UNIQUE, -- its folder's name under projects/, as it is spelled on the disk
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  archived_ms INTEGER,
  deletions_confirmed_ms INTEGER -- an owner said: what is missing on the disk may go
, deleted_ms INTEGER, deleted_by TEXT REFERENCES members (id), deleted_folder TEXT) STRICT;

CREATE TABLE project_members (
  project_id TEXT NOT NULL REFERENCES projects (id),
  member_id TEXT NOT NULL REFERENCES members (id),
  role TEXT NOT NULL CHECK (role IN ('lead', 'member')),
  joined_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  kind TEXT NOT NULL CHECK (kind IN ('home', 'post', 'draft', 'document', 'card')),
  path TEXT NOT NULL,     -- within the project's folder, as it is spelled on the disk
  path_key TEXT NOT NULL, -- NFC and case folded, for comparing
  title TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES members (id),
  editor_id TEXT NOT NULL REFERENCES members (id), -- who wrote the newest revision
  created_ms INTEGER NOT NULL,
  published_ms INTEGER NOT NULL, -- of a draft: when it was created
  edited_ms INTEGER,
  scheduled_ms INTEGER,          -- when a draft is to be published
  is_pinned INTEGER NOT NULL DEFAULT 0,
  comment_count INTEGER NOT NULL DEFAULT 0,
  activity_ms INTEGER NOT NULL,  -- newest of publication, edit, move, comment
  number INTEGER,                -- cards: from here on
  status TEXT,
  position TEXT,                 -- order within the column: keys between which there is always room
  card TEXT,                     -- JSON: priority, labels, assignees and the like, as listings show them
  revision TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  envelope TEXT NOT NULL,        -- what the read's envelope showed when the revision was written
  stamp TEXT,                    -- JSON: the file's stat when its bytes were last known to be this revision
  deleted_ms INTEGER,
  deleted_by TEXT REFERENCES members (id),
  trash_path TEXT                -- within the home, where the file lies; null: its last revision alone is kept
, attachments TEXT) STRICT;

CREATE TABLE revisions (
  id INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  revision TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES members (id),
  via TEXT NOT NULL,      -- 'api', 'disk', 'schedule'
  bytes INTEGER NOT NULL,
  content BLOB NOT NULL,  -- the stored bytes, deflated
  digest TEXT NOT NULL    -- JSON: what was learnt from the bytes when they were parsed
) STRICT;

CREATE TABLE former_names (
  project_id TEXT NOT NULL REFERENCES projects (id),
  path_key TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES documents (id),
  until_ms INTEGER NOT NULL, is_requested INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, path_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  path TEXT,             -- within the home: where the revision belongs; null: nowhere, the file goes
  vacated TEXT,          -- within the home: where the file stood before, if elsewhere
  revision TEXT NOT NULL,
  previous TEXT,         -- the revision that the file had before; null: there was none
  staged TEXT            -- the name in .workroom/tmp of the bytes to be put in place; null: the file only moves
) STRICT;

CREATE TABLE events (
  tick INTEGER PRIMARY KEY, -- the cursor × 1000
  type TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  actor_id TEXT REFERENCES members (id),
  project_id TEXT REFERENCES projects (id),
  document_id TEXT REFERENCES documents (id),
  via TEXT,
  detail TEXT NOT NULL      -- JSON: what the row was at that moment, such as its path, its title and its blockIds
, room_id TEXT REFERENCES rooms (id), message_id TEXT REFERENCES messages (id), asker_id TEXT REFERENCES members (id)) STRICT;

CREATE TABLE event_clock (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  last_tick INTEGER NOT NULL,
  epoch TEXT NOT NULL -- a random id of this database, changed by a restore
, trimmed_tick INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE rooms (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE, -- the name of its transcript, without .md
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('open', 'closed', 'direct')),
  description TEXT NOT NULL DEFAULT '',
  project_id TEXT REFERENCES projects (id),
  welcomes_people INTEGER NOT NULL DEFAULT 0, -- the one room that new people join by themselves
  created_ms INTEGER NOT NULL
, creator_id TEXT REFERENCES members (id), archived_ms INTEGER, deleted_ms INTEGER, deleted_by TEXT REFERENCES members (id), is_emptied INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE room_members (
  room_id TEXT NOT NULL REFERENCES rooms (id),
  member_id TEXT NOT NULL REFERENCES members (id),
  involvement TEXT NOT NULL CHECK (involvement IN ('everything', 'mentions', 'nothing', 'invisible')),
  joined_ms INTEGER NOT NULL, read_place INTEGER NOT NULL DEFAULT 0, is_favourite INTEGER NOT NULL DEFAULT 0, section TEXT,
  PRIMARY KEY (room_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  room_id TEXT NOT NULL REFERENCES rooms (id),
  thread_id TEXT REFERENCES messages (id), -- the message that it replies to
  author_id TEXT NOT NULL REFERENCES members (id),
  body TEXT NOT NULL,                      -- mentions in canonical form
  sent_via TEXT,                           -- the client that sent it, when one was named
  sent_ms INTEGER NOT NULL,
  edited_ms INTEGER,
  deleted_ms INTEGER,
  deleted_by TEXT REFERENCES members (id),
  reply_count INTEGER NOT NULL DEFAULT 0   -- of those that are not deleted
) STRICT;

CREATE TABLE answered_requests (
  member_id TEXT NOT NULL REFERENCES members (id),
  key TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  answer TEXT NOT NULL, -- JSON
  PRIMARY KEY (member_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_entries (
  id INTEGER PRIMARY KEY, -- the rowid in search_text
  type TEXT NOT NULL,     -- 'message'; the kinds of documents follow
  subject_id TEXT NOT NULL UNIQUE
, revision TEXT, bytes INTEGER NOT NULL DEFAULT 0, text ANY) STRICT;

CREATE TABLE access_changes (
  member_id TEXT PRIMARY KEY REFERENCES members (id),
  change INTEGER NOT NULL -- rises with every change of anybody's
) STRICT, WITHOUT ROWID;

CREATE TABLE webhooks (
  member_id TEXT PRIMARY KEY REFERENCES members (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,                -- JSON array of 'mention' and 'message.created'
  secret TEXT NOT NULL,                -- signs what is sent, so that it cannot be kept as a hash
  secret_created_ms INTEGER NOT NULL,
  previous_secret TEXT,                -- the one before it, until the end of the overlap
  previous_until_ms INTEGER,
  failures INTEGER NOT NULL DEFAULT 0, -- deliveries in a row that have failed
  failing_since_ms INTEGER             -- when the first of them failed; null: there is none
, scopes TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_contents (
  id INTEGER PRIMARY KEY,
  head BLOB NOT NULL -- how the body of each of them begins
) STRICT;

CREATE TABLE mail_outbox (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  letter TEXT NOT NULL, -- JSON, without the address: that may change meanwhile
  attempts INTEGER NOT NULL DEFAULT 0, -- that have failed
  next_ms INTEGER NOT NULL
, asked_until_ms INTEGER, address TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE invites (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the code; the code itself is nowhere
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  type TEXT CHECK (type IN ('human', 'agent')), -- null: whoever uses it chooses
  uses_left INTEGER NOT NULL CHECK (uses_left > 0),
  expires_ms INTEGER,                           -- null: never
  created_by TEXT NOT NULL REFERENCES members (id),
  created_ms INTEGER NOT NULL
, uses INTEGER NOT NULL DEFAULT 1, projects TEXT NOT NULL DEFAULT '[]', rooms TEXT NOT NULL DEFAULT '[]') STRICT;

CREATE TABLE link_previews (
  url TEXT PRIMARY KEY,
  title TEXT NOT NULL DEFAULT '',       -- '' while no page with one was ever read
  description TEXT NOT NULL DEFAULT '',
  image_url TEXT NOT NULL DEFAULT '',
  tried_ms INTEGER,                     -- when the page was last asked for; null: never yet
  failure TEXT,                         -- why nothing was learnt then; null: something was
  wanted_ms INTEGER                     -- since when it is waited for; null: it is not
) STRICT;

CREATE TABLE comments (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  post_id TEXT NOT NULL REFERENCES documents (id),
  parent_id TEXT REFERENCES comments (id), -- the comment that it replies to, which is no reply itself
  author_id TEXT NOT NULL REFERENCES members (id),
  body TEXT NOT NULL,                      -- mentions in canonical form
  created_ms INTEGER NOT NULL,
  deleted_ms INTEGER,
  deleted_by TEXT REFERENCES members (id)
, edited_ms INTEGER, block TEXT, quote TEXT) STRICT;

CREATE TABLE "inbox" (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  document_id TEXT REFERENCES documents (id), -- exactly one of these says what the mention stands in
  message_id TEXT REFERENCES messages (id),
  comment_id TEXT REFERENCES comments (id),
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  mail_due_ms INTEGER,                        -- when it is to be mailed; null: no mail is due for it, or none any more
  CHECK ((document_id IS NOT NULL) + (message_id IS NOT NULL) + (comment_id IS NOT NULL) = 1),
  UNIQUE (member_id, document_id),
  UNIQUE (member_id, message_id),
  UNIQUE (member_id, comment_id)
) STRICT;

CREATE TABLE "wakes" (
  id INTEGER PRIMARY KEY,
  place_id TEXT NOT NULL,
  one_id TEXT NOT NULL REFERENCES members (id),
  other_id TEXT NOT NULL REFERENCES members (id),
  at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE "wake_chains" (
  place_id TEXT NOT NULL,
  member_id TEXT NOT NULL REFERENCES members (id),
  hops INTEGER NOT NULL,
  PRIMARY KEY (place_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "wake_holds" (
  place_id TEXT NOT NULL,
  one_id TEXT NOT NULL REFERENCES members (id),
  other_id TEXT NOT NULL REFERENCES members (id),
  PRIMARY KEY (place_id, one_id, other_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
  document_id TEXT NOT NULL REFERENCES documents (id), -- that holds the link
  place INTEGER NOT NULL, -- its order in there, from 0
  kind TEXT NOT NULL CHECK (kind IN ('card', 'id', 'pull', 'title', 'path')),
  key TEXT NOT NULL,      -- what the target goes by: a number, an id, a folded title, a project's id and a place in it
  token TEXT NOT NULL,  -- the text around it
  PRIMARY KEY (document_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE project_links (
  project_id TEXT NOT NULL REFERENCES projects (id),
  place INTEGER NOT NULL, -- 0 is the first
  title TEXT NOT NULL,    -- title, url and note as they are written, markdown and all
  url TEXT NOT NULL,
  note TEXT NOT NULL,     -- '' for none
  PRIMARY KEY (project_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE asks (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL REFERENCES projects (id),
  kind TEXT NOT NULL CHECK (kind IN ('question', 'work')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,          -- mentions in canonical form
  options TEXT NOT NULL,       -- JSON array: what a question can be answered; empty for work
  state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'resolved', 'cancelled')),
  created_by TEXT NOT NULL REFERENCES members (id),
  assignees TEXT NOT NULL,     -- JSON array of member ids
  message_id TEXT REFERENCES messages (id), -- what announced it in a room; null: nothing did
  claimed_by TEXT REFERENCES members (id),  -- who holds it, or held it when it was resolved or cancelled
  resolved_by TEXT REFERENCES members (id),
  chosen_option TEXT,          -- the answer to a question
  resolution TEXT,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  CHECK (state <> 'claimed' OR claimed_by IS NOT NULL),
  CHECK ((state = 'resolved') = (resolved_by IS NOT NULL))
) STRICT;

CREATE TABLE project_goals (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  goal TEXT NOT NULL,
  set_by TEXT NOT NULL REFERENCES members (id),
  set_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE skills (
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,                -- kebab case, or the name of a folder that was made by hand
  version INTEGER NOT NULL,          -- of what stands on the disk; rises with every publication and edit there; 0: there was none
  draft_revision INTEGER NOT NULL,   -- rises with every save; 0: there was none
  draft BLOB,                        -- JSON: text by path, deflated; null: none was saved
  description TEXT NOT NULL,         -- of what stands on the disk
  seen TEXT NOT NULL,                -- JSON: the files on the disk as they were last seen, by path
  is_placed INTEGER NOT NULL,        -- 0: the version is committed, and not known to stand on the disk yet
  changed_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE skill_versions (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  author_id TEXT REFERENCES members (id), -- null: it was found on the disk
  files BLOB,                             -- JSON: text by path, deflated; null: it was found on the disk
  PRIMARY KEY (project_id, name, version),
  FOREIGN KEY (project_id, name) REFERENCES skills (project_id, name)
) STRICT;

CREATE TABLE signin_links (
  hash BLOB PRIMARY KEY, -- SHA-256 of its token; the token itself is nowhere
  member_id TEXT NOT NULL REFERENCES members (id),
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  hash BLOB NOT NULL UNIQUE,     -- SHA-256 of the cookie's token; the token itself is nowhere
  device TEXT NOT NULL,          -- browser and system, as people know them
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER NOT NULL  -- about: it is not written down for every request
) STRICT;

CREATE TABLE rendered_documents (
  document_id TEXT PRIMARY KEY REFERENCES documents (id),
  revision TEXT NOT NULL,
  program TEXT NOT NULL, -- SHA-256 of its code
  source BLOB NOT NULL,  -- SHA-256 of all else that the HTML was made of
  html BLOB NOT NULL     -- JSON, deflated
) STRICT;

CREATE TABLE former_pages (
  project_id TEXT NOT NULL REFERENCES projects (id),
  page_key TEXT NOT NULL, -- within the project's pages, folded for comparing
  author_id TEXT NOT NULL, -- of a draft, whose page is its author's alone; else empty
  document_id TEXT NOT NULL REFERENCES documents (id),
  PRIMARY KEY (project_id, page_key, author_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_room_slugs (
  slug TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE running_time (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  running_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL, -- when that was written down
  jumped_ms INTEGER         -- the running time at which the wall clock was last seen to jump
) STRICT;

CREATE TABLE running_parts (
  running_ms INTEGER PRIMARY KEY, -- at which it begins
  wall_ms INTEGER NOT NULL,       -- what the clock said then
  least_ms INTEGER NOT NULL       -- the least that the clock has said in it
) STRICT;

CREATE TABLE scratch_files (
  folder TEXT NOT NULL,    -- where it was written, below the top of the mount and in NFC: projects/<slug>/documents
  member_id TEXT NOT NULL REFERENCES members (id),
  name TEXT NOT NULL,      -- in NFC
  spelling TEXT NOT NULL,  -- of the name, as it was written
  file TEXT,               -- null: a folder
  bytes INTEGER NOT NULL,
  PRIMARY KEY (folder, member_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trashed_files (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  path TEXT NOT NULL,        -- within the project's folder, where it lay
  trash_path TEXT NOT NULL,  -- within the home, where it lies
  bytes INTEGER NOT NULL,
  deleted_ms INTEGER NOT NULL,
  deleted_by TEXT NOT NULL REFERENCES members (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE folder_moves (
  id INTEGER PRIMARY KEY,
  from_path TEXT NOT NULL,
  to_path TEXT NOT NULL,
  aside_path TEXT,                           -- where the folder goes that stood at to_path; null: none did
  is_committed INTEGER NOT NULL DEFAULT 0    -- 1: the rows of its documents say that it is at to_path
) STRICT;

CREATE TABLE mount_locks (
  token TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  path TEXT NOT NULL,           -- JSON: the names on the way from the top of the mount
  is_deep INTEGER NOT NULL,     -- also over everything below
  is_shared INTEGER NOT NULL,
  owner TEXT NOT NULL,          -- who says to hold it, for people
  is_owner_address INTEGER NOT NULL,
  seconds INTEGER NOT NULL,     -- as they were granted
  until_ms INTEGER NOT NULL
) STRICT;

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

CREATE VIRTUAL TABLE uploaded_names USING fts5 (
  name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1'
);

CREATE VIRTUAL TABLE document_titles USING fts5 (
  title, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1'
);

CREATE TABLE notification_settings (
  member_id TEXT PRIMARY KEY REFERENCES members (id),
  unmailed TEXT NOT NULL,       -- JSON array: the kinds that are not mailed, also `mention`
  quiet_from INTEGER,           -- the daily quiet hours, in minutes of the day; null: there are none
  quiet_until INTEGER,
  time_zone TEXT NOT NULL,      -- IANA name, of the quiet hours
  pause_until_ms INTEGER,       -- do not disturb until then
  CHECK ((quiet_from IS NULL) = (quiet_until IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE push_subscriptions (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  session_id TEXT NOT NULL,
  endpoint TEXT NOT NULL UNIQUE, -- the URL of the push service
  public_key TEXT NOT NULL,      -- of the browser, base64url
  auth TEXT NOT NULL,            -- the secret shared with the browser, base64url
  device TEXT NOT NULL,          -- browser and system, as people know them
  muted TEXT NOT NULL,           -- JSON array: the kinds that are not shown there
  has_sound INTEGER NOT NULL DEFAULT 1,
  created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE push_queue (
  id INTEGER PRIMARY KEY,
  subscription_id TEXT NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, -- that have failed
  next_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL            -- when it becomes useless
) STRICT;

CREATE TABLE former_project_slugs (
  slug TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  replaced_ms INTEGER NOT NULL -- Unix time, milliseconds
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  credential_id TEXT NOT NULL UNIQUE, -- base64url
  public_key BLOB NOT NULL,           -- COSE
  counter INTEGER NOT NULL,           -- of signatures, as last told by the authenticator; 0 where it counts none
  transports TEXT NOT NULL,           -- JSON array
  host TEXT NOT NULL,                 -- the host name for which it was made, and alone works
  label TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER
) STRICT;

CREATE TABLE reactions (
  place INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  room_id TEXT NOT NULL,       -- of the message
  member_id TEXT NOT NULL REFERENCES members (id),
  emoji TEXT NOT NULL,         -- one emoji, fully qualified
  at_ms INTEGER NOT NULL,      -- Unix time, milliseconds
  UNIQUE (message_id, emoji, member_id)
) STRICT;

CREATE TABLE "deliveries" (
  place INTEGER PRIMARY KEY, -- rises in the order of the commits
  id TEXT NOT NULL UNIQUE,
  member_id TEXT NOT NULL REFERENCES members (id), -- the agent that is called
  event TEXT NOT NULL CHECK (event IN ('mention', 'message.created', 'reply', 'comment', 'assigned')),
  message_id TEXT REFERENCES messages (id),        -- exactly one of these says what it tells of
  document_id TEXT REFERENCES documents (id),
  comment_id TEXT REFERENCES comments (id),
  ask_id TEXT REFERENCES asks (id),
  content_id INTEGER NOT NULL REFERENCES delivery_contents (id),
  tail TEXT NOT NULL,                              -- the rest of the body: what is this delivery's own
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled', 'held')),
  attempts INTEGER NOT NULL DEFAULT 0,             -- that were begun
  next_attempt_ms INTEGER,                         -- null: there is none
  last_status INTEGER,                             -- what the last attempt was answered; null: it was not
  last_error TEXT,                                 -- in one word why it failed; null: it did not
  reply_id TEXT,                                   -- the message or comment that the receiver's answer was posted as
  created_ms INTEGER NOT NULL,
  ended_ms INTEGER,                                -- null while it is pending
  CHECK ((message_id IS NOT NULL) + (document_id IS NOT NULL) + (comment_id IS NOT NULL) + (ask_id IS NOT NULL) = 1),
  CHECK ((state = 'pending') = (ended_ms IS NULL)),
  CHECK ((state = 'pending') = (next_attempt_ms IS NOT NULL)),
  UNIQUE (member_id, message_id, event),
  UNIQUE (member_id, comment_id, event)
) STRICT;

CREATE TABLE last_visits (
  key_id TEXT PRIMARY KEY REFERENCES keys (id) ON DELETE CASCADE,
  at_ms INTEGER NOT NULL,      -- Unix time, milliseconds
  cursor REAL NOT NULL,        -- the newest event of that time, as clients see it
  previous_ms INTEGER,         -- the visit before, of which the visit at at_ms was told; null: there is none
  previous_cursor REAL
) STRICT, WITHOUT ROWID;

CREATE TABLE live_texts (
  document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
  epoch TEXT NOT NULL,             -- clients resume versions of the same epoch alone
  base_revision TEXT NOT NULL,
  base_version INTEGER NOT NULL,
  base_unsaved TEXT NOT NULL,      -- JSON of a change set
  is_saved INTEGER NOT NULL,       -- whether base_revision holds all
  changed_ms INTEGER NOT NULL      -- Unix time, milliseconds
) STRICT, WITHOUT ROWID;

CREATE TABLE live_steps (
  document_id TEXT NOT NULL REFERENCES live_texts (document_id) ON DELETE CASCADE,
  version INTEGER NOT NULL,        -- of the text after the step
  client_id TEXT NOT NULL,
  seq INTEGER NOT NULL,            -- counted by the client, so that a step that is sent again is known
  member_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  changes TEXT NOT NULL,           -- JSON of a change set
  PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision_writers (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  revision TEXT NOT NULL,
  member_id TEXT NOT NULL REFERENCES members (id),
  characters INTEGER NOT NULL,     -- that they wrote or deleted
  PRIMARY KEY (document_id, revision, member_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE room_attachments (
  id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,                 -- no reference: the row outlives the room until the file is removed
  name TEXT NOT NULL,
  type TEXT NOT NULL,                    -- media type, without parameters
  size INTEGER NOT NULL,                 -- bytes
  uploaded_by TEXT NOT NULL REFERENCES members (id),
  message_id TEXT,                       -- the first message that links to it, with which it is deleted; null: none yet
  unused_ms INTEGER,                     -- since when no message links to it, Unix milliseconds; null: one does
  deleted_ms INTEGER                     -- when it was deleted, Unix milliseconds; its file is removed soon; null: it is there
) STRICT, WITHOUT ROWID;

CREATE TABLE pinned_messages (
  place INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
  room_id TEXT NOT NULL,       -- of the message
  pinned_by TEXT NOT NULL REFERENCES members (id),
  at_ms INTEGER NOT NULL       -- Unix time, milliseconds
) STRICT;

CREATE TABLE "notices" (
  id INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id),
  author_id TEXT NOT NULL REFERENCES members (id),
  kind TEXT NOT NULL CHECK (kind IN ('card', 'ask', 'comment', 'reply', 'direct', 'answer', 'removed')),
  subject_id TEXT NOT NULL, -- the card, the ask, the comment, the message or the room
  at_ms INTEGER NOT NULL,
  read_ms INTEGER,
  mail_due_ms INTEGER,      -- when it is to be mailed; null: no mail is due for it, or none any more
  UNIQUE (member_id, kind, subject_id)
) STRICT;

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

CREATE VIRTUAL TABLE "search_text" USING fts5 (
  title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE UNIQUE INDEX members_active_name ON members (name) WHERE status = 'active';

CREATE INDEX keys_member ON keys (member_id);

CREATE INDEX project_members_member ON project_members (member_id);

CREATE UNIQUE INDEX documents_live_path ON documents (project_id, path) WHERE deleted_ms IS NULL;

CREATE UNIQUE INDEX documents_number ON documents (project_id, number) WHERE number IS NOT NULL;

CREATE INDEX documents_scheduled ON documents (scheduled_ms) WHERE scheduled_ms IS NOT NULL AND deleted_ms IS NULL;

CREATE INDEX documents_deleted ON documents (project_id, deleted_ms) WHERE deleted_ms IS NOT NULL;

CREATE INDEX events_document ON events (document_id, tick) WHERE document_id IS NOT NULL;

CREATE UNIQUE INDEX rooms_welcoming ON rooms (welcomes_people) WHERE welcomes_people = 1;

CREATE INDEX room_members_member ON room_members (member_id);

CREATE INDEX messages_thread ON messages (thread_id, place) WHERE thread_id IS NOT NULL AND deleted_ms IS NULL;

CREATE INDEX events_room ON events (room_id, tick) WHERE room_id IS NOT NULL;

CREATE INDEX events_project ON events (project_id, tick) WHERE project_id IS NOT NULL;

CREATE INDEX answered_requests_age ON answered_requests (at_ms);

CREATE INDEX access_changes_order ON access_changes (change);

CREATE TRIGGER room_joined AFTER INSERT ON room_members BEGIN
  INSERT INTO access_changes VALUES (new.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER room_involvement_set AFTER UPDATE OF involvement ON room_members BEGIN
  INSERT INTO access_changes VALUES (new.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER room_left AFTER DELETE ON room_members BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER project_joined AFTER INSERT ON project_members BEGIN
  INSERT INTO access_changes VALUES (new.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER project_left AFTER DELETE ON project_members BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER member_changed AFTER UPDATE ON members WHEN new.role <> old.role OR new.status <> old.status BEGIN
  INSERT INTO access_changes VALUES (new.id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER key_revoked AFTER DELETE ON keys BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE INDEX events_document_age ON events (at_ms) WHERE document_id IS NOT NULL;

CREATE INDEX mail_outbox_due ON mail_outbox (next_ms, id);

CREATE INDEX link_previews_wanted ON link_previews (wanted_ms) WHERE wanted_ms IS NOT NULL;

CREATE INDEX comments_post ON comments (post_id, place);

CREATE INDEX comments_parent ON comments (parent_id) WHERE parent_id IS NOT NULL AND deleted_ms IS NULL;

CREATE INDEX inbox_unread ON inbox (member_id, at_ms) WHERE read_ms IS NULL;

CREATE INDEX inbox_message ON inbox (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX inbox_comment ON inbox (comment_id) WHERE comment_id IS NOT NULL;

CREATE INDEX inbox_mail ON inbox (mail_due_ms, member_id) WHERE mail_due_ms IS NOT NULL;

CREATE INDEX wakes_pair ON wakes (place_id, one_id, other_id, at_ms);

CREATE INDEX links_key ON links (key, kind);

CREATE INDEX revisions_usage ON revisions (at_ms, author_id);

CREATE INDEX messages_usage ON messages (sent_ms, author_id);

CREATE INDEX comments_usage ON comments (created_ms, author_id);

CREATE INDEX asks_project ON asks (project_id, place);

CREATE INDEX asks_project_state ON asks (project_id, state, place);

CREATE INDEX asks_creator ON asks (created_by, place);

CREATE INDEX asks_creator_state ON asks (created_by, state, place);

CREATE INDEX asks_claimable ON asks (project_id, place) WHERE state = 'open' AND kind = 'work';

CREATE INDEX asks_resolved ON asks (project_id, updated_ms) WHERE state = 'resolved';

CREATE INDEX events_asker ON events (asker_id, tick) WHERE asker_id IS NOT NULL;

CREATE INDEX repositories_due ON repositories (due_ms);

CREATE INDEX pull_requests_updated ON pull_requests (project_id, updated_ms);

CREATE INDEX skills_unplaced ON skills (is_placed) WHERE is_placed = 0;

CREATE INDEX signin_links_member ON signin_links (member_id);

CREATE INDEX sessions_member ON sessions (member_id);

CREATE INDEX sessions_last_used ON sessions (last_used_ms);

CREATE TRIGGER session_ended AFTER DELETE ON sessions BEGIN
  INSERT INTO access_changes VALUES (old.member_id, (SELECT ifnull(max(change), 0) + 1 FROM access_changes))
  ON CONFLICT (member_id) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER member_signed_out AFTER UPDATE OF status ON members WHEN new.status = 'deactivated' BEGIN
  DELETE FROM sessions WHERE member_id = new.id;
  DELETE FROM signin_links WHERE member_id = new.id;
END;

CREATE INDEX messages_room ON messages (room_id, place, author_id, thread_id, deleted_ms)
  WHERE thread_id IS NULL AND deleted_ms IS NULL;

CREATE INDEX documents_written ON documents (project_id, ifnull(edited_ms, published_ms), editor_id)
  WHERE deleted_ms IS NULL AND kind <> 'draft';

CREATE INDEX asks_claimed ON asks (claimed_by, place) WHERE state = 'claimed';

CREATE INDEX former_pages_document ON former_pages (document_id);

CREATE INDEX former_room_slugs_room ON former_room_slugs (room_id);

CREATE TRIGGER member_address_changed AFTER UPDATE OF email ON members WHEN new.email <> old.email BEGIN
  DELETE FROM signin_links WHERE member_id = new.id;
END;

CREATE INDEX scratch_files_member ON scratch_files (member_id, bytes);

CREATE INDEX trashed_files_project ON trashed_files (project_id, deleted_ms, bytes);

CREATE INDEX trashed_files_deleted ON trashed_files (deleted_ms);

CREATE INDEX former_names_until ON former_names (until_ms);

CREATE INDEX push_subscriptions_member ON push_subscriptions (member_id);

CREATE INDEX push_subscriptions_session ON push_subscriptions (session_id);

CREATE INDEX push_queue_due ON push_queue (next_ms, id);

CREATE INDEX push_queue_subscription ON push_queue (subscription_id, id);

CREATE TRIGGER push_ended AFTER DELETE ON sessions BEGIN
  DELETE FROM push_queue WHERE subscription_id IN (SELECT id FROM push_subscriptions WHERE session_id = old.id);
  DELETE FROM push_subscriptions WHERE session_id = old.id;
END;

CREATE INDEX former_project_slugs_project ON former_project_slugs (project_id, replaced_ms);

CREATE INDEX passkeys_member ON passkeys (member_id);

CREATE INDEX messages_sent ON messages (room_id, sent_ms) WHERE thread_id IS NULL AND deleted_ms IS NULL;

CREATE INDEX deliveries_due ON deliveries (member_id, next_attempt_ms, place) WHERE state = 'pending';

CREATE INDEX deliveries_member ON deliveries (member_id, place);

CREATE INDEX deliveries_age ON deliveries (ended_ms) WHERE ended_ms IS NOT NULL;

CREATE INDEX deliveries_document ON deliveries (document_id) WHERE document_id IS NOT NULL;

CREATE INDEX deliveries_usage ON deliveries (member_id, state);

CREATE INDEX deliveries_content ON deliveries (content_id);

CREATE UNIQUE INDEX deliveries_of_post ON deliveries (member_id, document_id, event) WHERE event <> 'assigned';

CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries BEGIN
  DELETE FROM delivery_contents
  WHERE id = old.content_id AND NOT EXISTS (SELECT 1 FROM deliveries WHERE content_id = old.content_id);
END;

CREATE INDEX live_texts_unsaved ON live_texts (document_id) WHERE is_saved = 0;

CREATE INDEX live_texts_age ON live_texts (changed_ms);

CREATE INDEX room_attachments_room ON room_attachments (room_id);

CREATE INDEX room_attachments_message ON room_attachments (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX room_attachments_unused ON room_attachments (unused_ms) WHERE unused_ms IS NOT NULL;

CREATE INDEX room_attachments_deleted ON room_attachments (deleted_ms) WHERE deleted_ms IS NOT NULL;

CREATE INDEX pinned_messages_of_room ON pinned_messages (room_id, place);

CREATE INDEX notices_unread ON notices (member_id, at_ms) WHERE read_ms IS NULL;

CREATE INDEX notices_subject ON notices (subject_id);

CREATE INDEX notices_mail ON notices (mail_due_ms, member_id) WHERE mail_due_ms IS NOT NULL;

CREATE INDEX comments_on_blocks ON comments (post_id) WHERE block IS NOT NULL;

CREATE INDEX document_moves_document ON document_moves (document_id, id);

CREATE INDEX documents_live_key ON documents (project_id, path_key) WHERE deleted_ms IS NULL AND path_key <> '';

CREATE INDEX revisions_size ON revisions (document_id, id, bytes);
