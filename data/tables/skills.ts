import type { Connection } from '../database.ts'

export interface SkillRow {
  projectId: string
  name: string
  /** On the disk; 0 if nothing was published. */
  version: number
  /** 0 if no draft was saved. */
  draftRevision: number
  /** JSON of texts by path, deflated. */
  draft: Buffer | null
  /** On the disk. */
  description: string
  /** JSON of the files on the disk when last checked, by path. */
  seen: string
  isPlaced: boolean
  changedMs: number // Unix time, milliseconds
}

type Stored = Omit<SkillRow, 'isPlaced'> & { isPlaced: number }
type SkillHead = Omit<SkillRow, 'draft'>

const head = `project_id AS projectId, name, version, draft_revision AS draftRevision, description, seen,
  is_placed AS isPlaced, changed_ms AS changedMs`

export function skillsTable(db: Connection) {
  const find = db.prepare<[string, string], Stored>(
    `SELECT ${head}, draft FROM skills WHERE project_id = ? AND name = ?`,
  )
  const all = db.prepare<[string], Omit<Stored, 'draft'>>(
    `SELECT ${head} FROM skills WHERE project_id = ? ORDER BY name`,
  )
  const names = db
    .prepare<[string, number], string>('SELECT name FROM skills WHERE project_id = ? ORDER BY name LIMIT ?')
    .pluck()
  const unplaced = db.prepare<[], Omit<Stored, 'draft'>>(
    `SELECT ${head} FROM skills WHERE is_placed = 0 ORDER BY project_id, name`,
  )
  const count = db.prepare<[string], number>('SELECT count(*) FROM skills WHERE project_id = ?').pluck()
  const put = db.prepare<[Stored]>(`
    INSERT INTO skills (project_id, name, version, draft_revision, draft, description, seen, is_placed, changed_ms)
    VALUES (@projectId, @name, @version, @draftRevision, @draft, @description, @seen, @isPlaced, @changedMs)
    ON CONFLICT (project_id, name) DO UPDATE SET
      version = @version, draft_revision = @draftRevision, draft = @draft, description = @description,
      seen = @seen, is_placed = @isPlaced, changed_ms = @changedMs`)
  const setSeen = db.prepare<[string, string, string, number]>(
    'UPDATE skills SET seen = ?, is_placed = 1 WHERE project_id = ? AND name = ? AND version = ?',
  )
  const setAllPlaced = db.prepare('UPDATE skills SET is_placed = 1 WHERE is_placed = 0')
  return {
    find: (projectId: string, name: string): SkillRow | undefined => {
      const row = find.get(projectId, name)
      return row && fromStored(row)
    },
    all: (projectId: string): SkillHead[] => all.all(projectId).map(fromStored),
    names: (projectId: string, limit: number): string[] => names.all(projectId, limit),
    /** Versions that are not known to be on the disk. */
    unplaced: (): SkillHead[] => unplaced.all().map(fromStored),
    count: (projectId: string): number => count.get(projectId)!,
    put: (row: SkillRow): void => void put.run({ ...row, isPlaced: Number(row.isPlaced) }),
    setSeen: (skill: Pick<SkillRow, 'projectId' | 'name' | 'version'>, seen: string): boolean =>
      setSeen.run(seen, skill.projectId, skill.name, skill.version).changes === 1,
    /** What is on the disk counts as someone's edit from now on. */
    setAllPlaced: (): void => void setAllPlaced.run(),
  }
}
export type SkillsTable = ReturnType<typeof skillsTable>

const fromStored = <Row extends { isPlaced: number }>(row: Row) => ({ ...row, isPlaced: row.isPlaced === 1 })
