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
    const isUnfinished = await writesPendingFor(database, isLive ? maxWriteMs : 0)
    const first = await compareWithDisk(home, database, isUnfinished)
    if (!isLive || first.findings.length === 0) return first
    await setTimeout(settleMs)
    const second = await compareWithDisk(home, database, isUnfinished)
    const seen = new Set(first.findings.map(findingKey))
    return { ...second, findings: second.findings.filter((finding) => seen.has(findingKey(finding))) }
  } catch (error) {
    throw explainOpenError(home, error)
  } finally {
    await database.close()
  }
}

const findingKey = ({ path, problem }: Finding) => `${path}: ${problem}`

async function writesPendingFor(database: Database, maxMs: number): Promise<(id: number) => boolean> {
  const journal = journalTable(database.connection)
  const ids = () => journal.all().map(({ id }) => id)
  let waiting = new Set(ids())
  for (let waitedMs = 0; waiting.size > 0 && waitedMs < maxMs; waitedMs += pollMs) {
    await setTimeout(pollMs)
    waiting = new Set(ids().filter((id) => waiting.has(id)))
  }
  return (id) => waiting.has(id)
}

async function compareWithDisk(
  home: string,
  database: Database,
  isUnfinished: (id: number) => boolean,
): Promise<{ findings: Finding[]; documents: number }> {
  const tree = openTree(home)
  const newId = newIdFactory(systemClock, systemRandom)
  const { projects } = openPeopleAndProjects({ database, clock: systemClock, random: systemRandom, newId })
  const present = projects.all().filter((project) => isMounted(tree, project))
  const examined: DoctorContext = { database, tree, projects, present }
  const documents = documentFindings(examined)
  const findings = [
    ...databaseFindings(home, examined),
    ...missingProjectFindings(tree, projects.all()),
    ...unknownProjectFindings(examined),
    ...documents.findings,
    ...(await unknownFileFindings(examined, documents.known)),
    ...(await untrackedMarkdownFindings(examined)),
    ...attachmentFindings(examined),
    ...roomAttachmentFindings(examined),
    ...(await skillFindings(examined)),
    ...trashFindings(examined),
    ...mirrorFindings(examined),
    ...liveTextFindings(examined, { isServed: isServed(home), nowMs: systemClock.now() }),
    ...pendingWriteFindings(examined, isUnfinished),
  ]
  return { findings, documents: documents.known.size }
}
