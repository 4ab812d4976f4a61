import { openDatabase } from '../../data/open-database.ts'
import { documentsTable } from '../../data/tables/documents.ts'
import { eventsTable } from '../../data/tables/events.ts'
import { journalTable } from '../../data/tables/journal.ts'
import { repositoriesTable } from '../../data/tables/repositories.ts'
import { sessionsTable } from '../../data/tables/sessions.ts'
import { signinLinksTable } from '../../data/tables/signin-links.ts'
import { skillsTable } from '../../data/tables/skills.ts'
import { newEpoch } from '../events/events.ts'
import type { RandomBytes } from '../ids.ts'

/**
 * Starts a new history in a copy of a database that is not open: event readers learn that the log continues
 * from an earlier moment, files are compared again, nothing in progress is finished, and repositories are
 * fetched. With `isSameDisk`, renames are detected by inode.
 */
export async function startNewEpoch(
  path: string,
  random: RandomBytes,
  { isSameDisk = false } = {},
): Promise<void> {
  const database = openDatabase(path, { migrates: true })
  try {
    const db = database.connection
    const repositories = repositoriesTable(db)
    await database.commit(() => {
      eventsTable(db).setEpoch(newEpoch(random))
      if (!isSameDisk) documentsTable(db).forgetStamps()
      journalTable(db).removeAll()
      skillsTable(db).setAllPlaced()
      sessionsTable(db).removeAll()
      signinLinksTable(db).removeAll()
      for (const id of repositories.ids()) repositories.put({ ...repositories.get(id)!, dueMs: 0 })
    })
  } finally {
    await database.close()
  }
}
