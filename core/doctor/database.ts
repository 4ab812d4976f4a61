import { integrityProblems } from '../../data/integrity.ts'
import { journalTable } from '../../data/tables/journal.ts'
import type { DoctorContext, Finding } from './types.ts'

export function databaseFindings(home: string, { database }: DoctorContext): Finding[] {
  return integrityProblems(database.connection).map((damage) => ({
    path: '.workroom/workroom.db',
    problem: `The database is damaged: ${damage}.`,
    mend: `Stop the server and repair it with: workroom repair --home ${home}. Project files are not changed.`,
  }))
}

export function pendingWriteFindings(
  { database }: DoctorContext,
  isPending: (id: number) => boolean,
): Finding[] {
  return journalTable(database.connection)
    .all()
    .filter(({ id }) => isPending(id))
    .map(({ path, vacated }) => ({
      path: path ?? vacated ?? '',
      problem: 'A write may not be durable yet.',
      mend: 'The server finishes it within a second, or when it starts.',
    }))
}
