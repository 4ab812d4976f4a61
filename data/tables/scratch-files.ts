import type { Connection } from '../database.ts'

/** Folder and name in NFC. */
export interface ScratchFileKey {
  memberId: string
  /** With `/`. */
  folder: string
  name: string
}

export interface ScratchFile extends ScratchFileKey {
  spelling: string
  /** The bytes' name in `.workroom/scratch`; null for a folder. */
  file: string | null
  bytes: number
}

const columns = 'member_id AS memberId, folder, name, spelling, file, bytes'

const at = 'folder = @folder AND member_id = @memberId AND name = @name'

/** Includes sub-folders: `0` is the character after `/`. */
const below = `(folder = @folder OR (folder > @folder || '/' AND folder < @folder || '0'))`

export type ScratchFilesTable = ReturnType<typeof scratchFilesTable>

export function scratchFilesTable(db: Connection) {
  const all = db.prepare<[], ScratchFile>(`SELECT ${columns} FROM scratch_files`)
  const find = db.prepare<[ScratchFileKey], ScratchFile>(`SELECT ${columns} FROM scratch_files WHERE ${at}`)
  const inFolder = db.prepare<[string, string], ScratchFile>(
    `SELECT ${columns} FROM scratch_files WHERE folder = ? AND member_id = ? ORDER BY name`,
  )
  const used = db.prepare<[string], { count: number; bytes: number }>(
    'SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM scratch_files WHERE member_id = ?',
  )
  const put = db.prepare<[ScratchFile]>(`
    INSERT INTO scratch_files (member_id, folder, name, spelling, file, bytes)
    VALUES (@memberId, @folder, @name, @spelling, @file, @bytes)
    ON CONFLICT DO UPDATE SET spelling = excluded.spelling, file = excluded.file, bytes = excluded.bytes`)
  const remove = db.prepare<[ScratchFileKey], ScratchFile>(
    `DELETE FROM scratch_files WHERE ${at} RETURNING ${columns}`,
  )
  const removeBelow = db.prepare<[{ folder: string; memberId: string | null }], ScratchFile>(`
    DELETE FROM scratch_files WHERE ${below} AND (@memberId IS NULL OR member_id = @memberId)
    RETURNING ${columns}`)
  const moveBelow = db.prepare<[{ folder: string; to: string }]>(`
    UPDATE OR REPLACE scratch_files SET folder = @to || substr(folder, length(@folder) + 1) WHERE ${below}`)

  return {
    all: (): ScratchFile[] => all.all(),
    find: (key: ScratchFileKey): ScratchFile | null => find.get(key) ?? null,
    inFolder: (memberId: string, folder: string): ScratchFile[] => inFolder.all(folder, memberId),
    used: (memberId: string): { count: number; bytes: number } => used.get(memberId)!,
    put: (row: ScratchFile): void => void put.run(row),
    remove: (key: ScratchFileKey): ScratchFile | null => remove.get(key) ?? null,
    /** `memberId` null: of all members. Returns the removed rows. */
    removeBelow: (folder: string, memberId: string | null): ScratchFile[] =>
      removeBelow.all({ folder, memberId }),
    moveBelow: (folder: string, to: string): void => void moveBelow.run({ folder, to }),
  }
}
