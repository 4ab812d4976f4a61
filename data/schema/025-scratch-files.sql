-- What programs that mount the workspace leave beside people's files, such as `.DS_Store`: it is shown to who wrote it
-- alone, until somebody deletes it. The bytes lie on the disk, in .workroom/scratch/<file>.
CREATE TABLE scratch_files (
  folder TEXT NOT NULL,    -- where it was written, below the top of the mount and in NFC: projects/<slug>/documents
  member_id TEXT NOT NULL REFERENCES members (id),
  name TEXT NOT NULL,      -- in NFC
  spelling TEXT NOT NULL,  -- of the name, as it was written
  file TEXT,               -- null: a folder
  bytes INTEGER NOT NULL,
  PRIMARY KEY (folder, member_id, name)
) STRICT, WITHOUT ROWID;
-- What a member has of it counts against a limit.
CREATE INDEX scratch_files_member ON scratch_files (member_id, bytes);
