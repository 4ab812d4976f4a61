import { openDatabase } from '../../data/database.ts'
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
 * Has a copy of a database begin a history of its own: who reads events learns that they go on from an earlier moment,
 * every file is looked at anew, nothing that was under way is finished over the files that lie there now, the
 * repositories, whose mirrors are not in a backup, are fetched, and no browser that was signed out since is signed in.
 * @param path of a database that nobody has open
 * @param options `isSameDisk`: the files are those that it has seen, so that a renamed one is known by its inode; the others
 *   are looked at anew, since they differ from what was seen
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
