import type { Connection } from '../database.ts'

export interface AskRow {
  place: number // increases in commit order
  id: string
  projectId: string
  kind: 'question' | 'work'
  title: string
  body: string // mentions in canonical form
  options: string[] // what a question can be answered; empty for work
  state: 'open' | 'claimed' | 'resolved' | 'cancelled'
  createdBy: string // member id, as the three below
  assignees: string[]
  claimedBy: string | null // still set after it is resolved or cancelled
  resolvedBy: string | null
  messageId: string | null // its announcement in a room
  chosenOption: string | null // the answer to a question
  resolution: string | null
  createdMs: number // Unix time, milliseconds
  updatedMs: number
}

export type NewAskRow = Omit<AskRow, 'place'>

interface AskFilter {
  state: AskRow['state'] | null
  /** Exclusive. */
  before: number
  limit: number
}

type Stored = Omit<AskRow, 'options' | 'assignees'> & { options: string; assignees: string }

const columns = `place, id, project_id AS projectId, kind, title, body, options, state, created_by AS createdBy, assignees,
  claimed_by AS claimedBy, resolved_by AS resolvedBy, message_id AS messageId, chosen_option AS chosenOption, resolution,
  created_ms AS createdMs, updated_ms AS updatedMs`

const fromStored = (row: Stored): AskRow => ({
  ...row,
  options: JSON.parse(row.options),
  assignees: JSON.parse(row.assignees),
})

const toStored = <Row extends NewAskRow>(row: Row) => ({
  ...row,
  options: JSON.stringify(row.options),
  assignees: JSON.stringify(row.assignees),
})

export function asksTable(db: Connection) {
  const find = db.prepare<[string], Stored>(`SELECT ${columns} FROM asks WHERE id = ?`)
  const insert = db.prepare<Omit<Stored, 'place'>>(`
    INSERT INTO asks (id, project_id, kind, title, body, options, state, created_by, assignees, claimed_by, resolved_by,
      message_id, chosen_option, resolution, created_ms, updated_ms)
    VALUES (@id, @projectId, @kind, @title, @body, @options, @state, @createdBy, @assignees, @claimedBy, @resolvedBy,
      @messageId, @chosenOption, @resolution, @createdMs, @updatedMs)`)
  const update = db.prepare<Stored>(`
    UPDATE asks SET state = @state, assignees = @assignees, claimed_by = @claimedBy, resolved_by = @resolvedBy,
      chosen_option = @chosenOption, resolution = @resolution, updated_ms = @updatedMs
    WHERE id = @id`)

  // Answered from indexes: among many asks, only the rows of a list page are read.
  const places = (column: 'project_id' | 'created_by') => {
    const isOfColumn =
      column === 'project_id'
        ? 'project_id = ?'
        : 'created_by = ? AND project_id NOT IN (SELECT id FROM projects WHERE deleted_ms IS NOT NULL)'
    const inAnyState = db
      .prepare<[string, number, number], number>(
        `SELECT place FROM asks WHERE ${isOfColumn} AND place < ? ORDER BY place DESC LIMIT ?`,
      )
      .pluck()
    const inState = db
      .prepare<[string, string, number, number], number>(
        `SELECT place FROM asks WHERE ${isOfColumn} AND state = ? AND place < ? ORDER BY place DESC LIMIT ?`,
      )
      .pluck()
    return (id: string, { state, before, limit }: AskFilter): number[] =>
      state === null ? inAnyState.all(id, before, limit) : inState.all(id, state, before, limit)
  }
  const placesInProject = places('project_id')
  const placesOfCreator = places('created_by')
  const at = db.prepare<[string], Stored>(
    `SELECT ${columns} FROM asks WHERE place IN (SELECT value FROM json_each(?)) ORDER BY place DESC`,
  )
  const lastResolved = db.prepare<[string, number], Stored>(`
    SELECT ${columns} FROM asks
    WHERE project_id = ? AND state = 'resolved' ORDER BY updated_ms DESC, place DESC LIMIT ?`)
  const count = db
    .prepare<[string, string], number>('SELECT count(*) FROM asks WHERE project_id = ? AND state = ?')
    .pluck()
  const claimable = db.prepare<{ projectIds: string; memberId: string; limit: number }, Stored>(`
    SELECT ${columns} FROM asks
    WHERE state = 'open' AND kind = 'work' AND project_id IN (SELECT value FROM json_each(@projectIds))
    ORDER BY CASE
      WHEN EXISTS (SELECT 1 FROM json_each(assignees) WHERE value = @memberId) THEN 0
      WHEN assignees = '[]' THEN 1
      ELSE 2 END, place DESC
    LIMIT @limit`)

  const titles = db.prepare<[string, string, number], { id: string; title: string }>(
    'SELECT id, title FROM asks WHERE project_id = ? AND state = ? ORDER BY place DESC LIMIT ?',
  )
  const claimedBy = db.prepare<[string, number], Stored>(`
    SELECT ${columns} FROM asks WHERE claimed_by = ? AND state = 'claimed' ORDER BY place DESC LIMIT ?`)
  const openFor = db.prepare<{ projectIds: string; memberId: string; limit: number }, Stored>(`
    SELECT ${columns} FROM asks
    WHERE state = 'open' AND project_id IN (SELECT value FROM json_each(@projectIds)) AND assignees <> '[]'
      AND EXISTS (SELECT 1 FROM json_each(assignees) WHERE value = @memberId)
    ORDER BY place DESC LIMIT @limit`)
  const openQuestions = db.prepare<[string, string, number], Stored>(`
    SELECT ${columns} FROM asks
    WHERE state = 'open' AND kind = 'question' AND project_id IN (SELECT value FROM json_each(?)) AND created_by <> ?
    ORDER BY place DESC LIMIT ?`)

  return {
    find: (id: string): AskRow | undefined => {
      const row = find.get(id)
      return row && fromStored(row)
    },
    insert: (row: NewAskRow): void => void insert.run(toStored(row)),
    update: (row: AskRow): boolean => update.run(toStored(row)).changes === 1,
    inProject: (projectId: string, filter: AskFilter): AskRow[] =>
      at.all(JSON.stringify(placesInProject(projectId, filter))).map(fromStored),
    /** Asks of these projects, and those that the member created: newest first. */
    visible: (projectIds: readonly string[], memberId: string, filter: AskFilter): AskRow[] => {
      const found = [
        ...projectIds.flatMap((id) => placesInProject(id, filter)),
        ...placesOfCreator(memberId, filter),
      ]
      const newest = [...new Set(found)].sort((one, other) => other - one).slice(0, filter.limit)
      return at.all(JSON.stringify(newest)).map(fromStored)
    },
    titles: (projectId: string, state: AskRow['state'], limit: number): { id: string; title: string }[] =>
      titles.all(projectId, state, limit),
    lastResolved: (projectId: string, limit: number): AskRow[] =>
      lastResolved.all(projectId, limit).map(fromStored),
    claimedBy: (memberId: string, limit: number): AskRow[] => claimedBy.all(memberId, limit).map(fromStored),
    openFor: (projectIds: readonly string[], memberId: string, limit: number): AskRow[] =>
      openFor.all({ projectIds: JSON.stringify(projectIds), memberId, limit }).map(fromStored),
    /** Excludes the member's own. */
    openQuestionsFor: (projectIds: readonly string[], memberId: string, limit: number): AskRow[] =>
      openQuestions.all(JSON.stringify(projectIds), memberId, limit).map(fromStored),
    count: (projectId: string, state: AskRow['state']): number => count.get(projectId, state)!,
    /** The member's first, then unassigned ones, then those of others; newest first in each. */
    claimable: (projectIds: readonly string[], memberId: string, limit: number): AskRow[] =>
      claimable.all({ projectIds: JSON.stringify(projectIds), memberId, limit }).map(fromStored),
  }
}
export type AsksTable = ReturnType<typeof asksTable>
