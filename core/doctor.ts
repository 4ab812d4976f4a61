import { inflateRawSync } from 'node:zlib'
import { openDatabase } from '../data/database.ts'
import { databasePath } from '../data/home.ts'
import { documentsTable } from '../data/tables/documents.ts'
import { journalTable } from '../data/tables/journal.ts'
import { revisionsTable } from '../data/tables/revisions.ts'
import { conflictOf, openTree, scanFolders } from '../data/tree/index.ts'
import { systemClock } from './clock.ts'
import { openDirectories } from './directories.ts'
import { oddReasons } from './documents/disk/oddities.ts'
import { homePathOf, mayHoldDocuments, placeOf } from './documents/places.ts'
import { idMaker, systemRandom } from './ids.ts'
import { markerName } from './projects/folders.ts'
import { revisionOf } from './revision.ts'

/** A difference between the disk and the database, in words, and its mend. */
export interface Finding {
  /** Within the home. */
  path: string
  problem: string
  mend: string
}

const start = 'Start the server: it takes the file in as it is.'

/**
 * Compares the disk with the database, file by file and byte by byte, and changes nothing. Beside a running server
 * a write that is just under way may show for a moment.
 * @param home absolute path of a workspace
 * @returns the findings, and how many documents were compared
 */
export async function examine(home: string): Promise<{ findings: Finding[]; documents: number }> {
  const database = openDatabase(databasePath(home))
  try {
    const db = database.connection
    const tree = openTree(home)
    const newId = idMaker(systemClock, systemRandom)
    const { projects } = openDirectories({ database, clock: systemClock, random: systemRandom, newId })
    const records = documentsTable(db).live()
    const revisions = revisionsTable(db)
    const findings: Finding[] = []
    const known = new Set<string>()

    const unusable = new Set<string>()
    for (const project of projects.all()) {
      const root = `projects/${project.folder}`
      if (tree.read(`${root}/${markerName}`)?.bytes.toString().trim() === project.id) continue
      unusable.add(project.id)
      const problem = `The folder has no marker of the project ${project.slug}.`
      findings.push({
        path: root,
        problem,
        mend: `Mount its disk, or write ${project.id} into ${root}/${markerName}.`,
      })
    }

    for (const record of records) {
      const path = homePathOf(projects.find(record.projectId)!, record.path)
      known.add(path)
      const content = revisions.find(record.id, record.revision)
      if (!content || !isRevision(content.content, record.revision)) {
        const problem = 'The database has lost the bytes of its newest revision.'
        findings.push({ path, problem, mend: 'Restore a backup, or save the file again.' })
      }
      // Where a whole folder is away, nothing is known of its files.
      if (unusable.has(record.projectId)) continue
      const look = tree.look(path)
      if (look.kind === 'missing')
        findings.push({
          path,
          problem: 'The file is missing.',
          mend: 'Put it back, or start the server, which takes it as deleted.',
        })
      else if (look.kind === 'odd')
        findings.push({ path, problem: `There is a ${look.odd} in its place.`, mend: 'Put the file back.' })
      else {
        const file = tree.read(path)
        if (!file || revisionOf(file.bytes) !== record.revision) {
          findings.push({ path, problem: 'The file has other bytes than its newest revision.', mend: start })
        }
      }
    }

    for (const project of projects.all()) {
      if (unusable.has(project.id)) continue
      const root = `projects/${project.folder}`
      await scanFolders(tree, [root], (folder, entries) => {
        const inner = folder.slice(root.length + 1)
        if (inner !== '' && !mayHoldDocuments(inner)) return
        for (const { name, look } of entries) {
          const path = `${folder}/${name}`
          const isDocument = placeOf(path.slice(root.length + 1)) !== null && conflictOf(name) === null
          if (isDocument && look.kind === 'file' && !known.has(path)) {
            findings.push({ path, problem: 'The database does not know this file.', mend: start })
          }
          if (isDocument && look.kind === 'odd' && look.odd !== 'folder' && !known.has(path)) {
            const problem = `It is left alone: ${oddReasons[look.odd]}.`
            findings.push({ path, problem, mend: 'Put a readable file in its place, or take it away.' })
          }
        }
      })
    }

    for (const { path, vacated } of journalTable(db).all()) {
      const problem = 'A write is not known to be durable yet.'
      findings.push({
        path: path ?? vacated ?? '',
        problem,
        mend: 'The server finishes it within a second, or when it starts.',
      })
    }
    return { findings, documents: records.length }
  } finally {
    await database.close()
  }
}

/** Whether compressed bytes can be expanded, to the revision that they should be. */
function isRevision(compressed: Buffer, revision: string): boolean {
  try {
    return revisionOf(inflateRawSync(compressed)) === revision
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) return false
    throw error
  }
}
