import { databasePath } from '../../data/home.ts'
import { openDatabase } from '../../data/open-database.ts'

/** Removes a member from a project as another process would; the server notices it at its next request. */
export async function leaveProject(home: string, projectId: string, memberId: string): Promise<void> {
  const database = openDatabase(databasePath(home))
  try {
    const remove = database.connection.prepare(
      'DELETE FROM project_members WHERE project_id = ? AND member_id = ?',
    )
    await database.commit(() => remove.run(projectId, memberId))
  } finally {
    await database.close()
  }
}
