import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../data/database.ts'
import { integrityProblems } from '../../data/integrity.ts'
import { journalTable } from '../../data/tables/journal.ts'
import { repositoriesTable } from '../../data/tables/repositories.ts'
import { skillsTable } from '../../data/tables/skills.ts'
import { isIgnoredName, isServed, openTree, type Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { containsMarkdown } from '../documents/storage/project-roots.ts'
import { explainOpenError, openHomeDatabase } from '../home/home-database.ts'
import { newIdFactory, systemRandom } from '../ids.ts'
import { isProjectId, markerName } from '../projects/project-folders.ts'
import { type FileSnapshot, haveSameBytes, takeSnapshot } from '../skills/file-snapshot.ts'
import { skillPath } from '../skills/skill-publisher.ts'
import { systemClock } from '../time/clock.ts'
import { openPeopleAndProjects } from '../workspace/directories.ts'
import { attachmentFindings, roomAttachmentFindings } from './attachments.ts'
import {
  documentFindings,
  trashFindings,
  unknownFileFindings,
  untrackedMarkdownFindings,
} from './documents.ts'
import { liveTextFindings } from './live-texts.ts'
import type { DoctorContext, Finding } from './types.ts'

export type { Finding } from './types.ts'

/** A write is durable within a second, or retried after ten. */
const maxWriteMs = 15_000
const pollMs = 100
/** By then a server has finished what it was doing. */
const settleMs = 2500

/** Compares the disk with the database byte by byte. Waits for the writes of a running server. */
export async function findDifferences(home: string): Promise<{ findings: Finding[]; documents: number }> {
  const database = openHomeDatabase(home)
  try {
    const isLive = isServed(home)
    const isPending = await waitForPendingWrites(database, isLive ? maxWriteMs : 0)
    const first = await compareWithDisk(home, database, isPending)
    if (!isLive || first.findings.length === 0) return first
    await setTimeout(settleMs)
    const second = await compareWithDisk(home, database, isPending)
    const seen = new Set(first.findings.map(findingKey))
    return { ...second, findings: second.findings.filter((finding) => seen.has(findingKey(finding))) }
  } catch (error) {
    throw explainOpenError(home, error)
  } finally {
    await database.close()
  }
}

const findingKey = ({ path, problem }: Finding) => `${path}: ${problem}`

async function waitForPendingWrites(database: Database, maxMs: number): Promise<(id: number) => boolean> {
  const journal = journalTable(database.connection)
  const ids = () => journal.all().map(({ id }) => id)
  let pending = new Set(ids())
  for (let waitedMs = 0; pending.size > 0 && waitedMs < maxMs; waitedMs += pollMs) {
    await setTimeout(pollMs)
    pending = new Set(ids().filter((id) => pending.has(id)))
  }
  return (id) => pending.has(id)
}

async function compareWithDisk(
  home: string,
  database: Database,
  isPending: (id: number) => boolean,
): Promise<{ findings: Finding[]; documents: number }> {
  const tree = openTree(home)
  const newId = newIdFactory(systemClock, systemRandom)
  const { projects } = openPeopleAndProjects({ database, clock: systemClock, random: systemRandom, newId })
  const present = projects.all().filter((project) => isMounted(tree, project))
  const context: DoctorContext = { database, tree, projects, present }
  const documents = documentFindings(context)
  const findings = [
    ...databaseFindings(home, context),
    ...missingProjectFindings(tree, projects.all()),
    ...unknownProjectFindings(context),
    ...documents.findings,
    ...(await unknownFileFindings(context, documents.knownPaths)),
    ...(await untrackedMarkdownFindings(context)),
    ...attachmentFindings(context),
    ...roomAttachmentFindings(context),
    ...(await skillFindings(context)),
    ...trashFindings(context),
    ...mirrorFindings(context),
    ...liveTextFindings(context, { isServed: isServed(home), nowMs: systemClock.now() }),
    ...pendingWriteFindings(context, isPending),
  ]
  return { findings, documents: documents.knownPaths.size }
}

function databaseFindings(home: string, { database }: DoctorContext): Finding[] {
  return integrityProblems(database.connection).map((damage) => ({
    path: '.workroom/workroom.db',
    problem: `The database is damaged: ${damage}.`,
    mend: `Stop the server and repair it with: workroom repair --home ${home}. Project files are not changed.`,
  }))
}

function pendingWriteFindings({ database }: DoctorContext, isPending: (id: number) => boolean): Finding[] {
  return journalTable(database.connection)
    .all()
    .filter(({ id }) => isPending(id))
    .map(({ path, vacated }) => ({
      path: path ?? vacated ?? '',
      problem: 'A write may not be durable yet.',
      mend: 'The server finishes it within a second, or when it starts.',
    }))
}

const isMounted = (tree: Tree, { id, folder }: Project): boolean =>
  tree.read(`projects/${folder}/${markerName}`)?.bytes.toString().trim() === id

function missingProjectFindings(tree: Tree, projects: readonly Project[]): Finding[] {
  const missing = projects.filter((project) => !isMounted(tree, project))
  return missing.map(({ id, slug, folder }) => {
    const path = `projects/${folder}`
    return tree.stat(path).kind === 'missing'
      ? {
          path,
          problem: `The folder of the project ${slug} is missing.`,
          mend: 'Restore it, or mount the disk that it is on.',
        }
      : {
          path,
          problem: `The folder has no marker of the project ${slug}.`,
          mend: `Mount its disk, or write ${id} into ${path}/${markerName}.`,
        }
  })
}

function unknownProjectFindings({ tree, projects }: DoctorContext): Finding[] {
  const knownFolders = new Set(projects.all().map(({ folder }) => folder))
  return (tree.list('projects') ?? []).flatMap(({ name, stat }) => {
    const path = `projects/${name}`
    if (stat.kind !== 'skipped' || stat.reason !== 'folder' || isIgnoredName(name) || knownFolders.has(name))
      return []
    const marker = tree.read(`${path}/${markerName}`)?.bytes.toString().trim() ?? ''
    // Renamed while no server ran: reported as a missing folder.
    if (projects.find(marker)) return []
    if (!isProjectId(marker) && !containsMarkdown(tree, path)) return []
    return [
      {
        path,
        problem: 'The database does not know this project.',
        mend: 'Start the server; it imports the folder as a project.',
      },
    ]
  })
}

async function skillFindings({ database, tree, present }: DoctorContext): Promise<Finding[]> {
  const skills = skillsTable(database.connection)
  const findings: Finding[] = []
  for (const project of present) {
    for (const { name, version, seen, isPlaced } of skills.all(project.id)) {
      const path = skillPath(project, name)
      const expected: FileSnapshot = JSON.parse(seen)
      if (haveSameBytes(expected, await takeSnapshot(tree, path, {}, Date.now()))) continue
      findings.push({
        path,
        problem: `Its files are not those of version ${version} of the skill.`,
        mend: isPlaced
          ? 'Read the skill over HTTP: its files become the next version.'
          : 'Start the server: it puts the version in place.',
      })
    }
  }
  return findings
}

function mirrorFindings({ database, tree }: DoctorContext): Finding[] {
  const repositories = repositoriesTable(database.connection)
  const missing = repositories
    .ids()
    .map((id) => ({ repository: repositories.get(id)!, path: `.workroom/repositories/${id}.git` }))
    .filter(({ repository, path }) => {
      const stat = tree.stat(path)
      return repository.dueMs > systemClock.now() && !(stat.kind === 'skipped' && stat.reason === 'folder')
    })
  return missing.map(({ repository, path }) => ({
    path,
    problem: `The mirror of the repository ${repository.dir} is missing.`,
    mend: 'Start the server: the mirror is fetched again when it is read or due.',
  }))
}
