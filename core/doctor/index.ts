import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../data/database.ts'
import { journalTable } from '../../data/tables/journal.ts'
import { isServed, openTree } from '../../data/tree/index.ts'
import { explainOpenError, openHomeDatabase } from '../home/home-database.ts'
import { newIdFactory, systemRandom } from '../ids.ts'
import { systemClock } from '../time/clock.ts'
import { openPeopleAndProjects } from '../workspace/directories.ts'
import { attachmentFindings } from './attachments.ts'
import { databaseFindings, pendingWriteFindings } from './database.ts'
import { documentFindings, unknownFileFindings } from './documents.ts'
import { liveTextFindings } from './live-texts.ts'
import { isMounted, missingProjectFindings, unknownProjectFindings } from './project-folders.ts'
import { mirrorFindings } from './repositories.ts'
import { roomAttachmentFindings } from './room-attachments.ts'
import { skillFindings } from './skills.ts'
import { trashFindings } from './trash.ts'
import type { DoctorContext, Finding } from './types.ts'
import { untrackedMarkdownFindings } from './untracked.ts'

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
