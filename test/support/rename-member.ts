import { databasePath } from '../../data/home.ts'
import { openDatabase } from '../../data/open-database.ts'

/** Renames a member as another process would, without checks; the server notices it at its next request. */
export async function renameMember(home: string, id: string, name: string): Promise<void> {
  const database = openDatabase(databasePath(home))
  try {
    const rename = database.connection.prepare('UPDATE members SET name = ? WHERE id = ?')
    await database.commit(() => rename.run(name, id))
  } finally {
    await database.close()
  }
}
