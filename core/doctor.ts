import { openDatabase } from '../data/database.ts'
import { databasePath } from '../data/home.ts'
import { openTree } from '../data/tree/index.ts'
import { systemClock } from './clock.ts'
import { openDirectories } from './directories.ts'
import { differingAttachments } from './doctor/attachments.ts'
import { damagedDatabase, unfinishedWrites } from './doctor/database.ts'
import { differingDocuments, unknownFiles } from './doctor/documents.ts'
import { isPresent, missingFolders } from './doctor/project-folders.ts'
import { missingMirrors } from './doctor/repositories.ts'
import { differingSkills } from './doctor/skills.ts'
import { strayTrash } from './doctor/trash.ts'
import type { Examined, Finding } from './doctor/types.ts'
import { idMaker, systemRandom } from './ids.ts'

export type { Finding } from './doctor/types.ts'

/**
 * Compares the disk with the database, file by file and byte by byte, looks through the database itself, and changes
 * nothing. Beside a running server a write that is just under way may show for a moment.
 * @param home absolute path of a workspace
 * @returns the findings, and how many documents were compared
 */
export async function examine(home: string): Promise<{ findings: Finding[]; documents: number }> {
  const database = openDatabase(databasePath(home))
  try {
    const tree = openTree(home)
    const newId = idMaker(systemClock, systemRandom)
    const { projects } = openDirectories({ database, clock: systemClock, random: systemRandom, newId })
    const present = projects.all().filter((project) => isPresent(tree, project))
    const examined: Examined = { database, tree, projects, present }
    const documents = differingDocuments(examined)
    const findings = [
      ...damagedDatabase(examined),
      ...missingFolders(tree, projects.all()),
      ...documents.findings,
      ...(await unknownFiles(examined, documents.known)),
      ...differingAttachments(examined),
      ...(await differingSkills(examined)),
      ...strayTrash(examined),
      ...missingMirrors(examined),
      ...unfinishedWrites(examined),
    ]
    return { findings, documents: documents.known.size }
  } finally {
    await database.close()
  }
}
