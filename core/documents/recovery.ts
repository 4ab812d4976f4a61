import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { JournalRecord } from '../../data/tables/journal.ts'
import { displacedBy } from '../../data/tree/index.ts'
import { revisionOf } from '../revision.ts'
import { Roots } from './disk/roots.ts'
import { keepDisplaced } from './displaced.ts'
import type { Journal } from './journal.ts'
import type { Parts } from './parts.ts'
import { fileOf } from './places.ts'

/**
 * Finishes what the journal promised before the process ended (`design.md`, Durability, exactly): committed bytes that
 * were not in place yet, or that a power cut took away again, are put in place. A file that a person changed meanwhile
 * equals neither the new revision nor one before it: it stays, and the scan that follows takes it in on top.
 */
export async function recover(parts: Parts, journal: Journal): Promise<void> {
  const { tree } = parts
  const all = parts.journal.all()
  const reachable = reachableOnes(parts, all)
  for (const promise of reachable) keep(parts, promise, earlierRevisions(all, promise))
  for (const promise of reachable) clear(parts, promise)
  for (const promise of reachable) await keepSavedMeanwhile(parts, promise)
  const waiting = new Set(all.filter((promise) => !reachable.includes(promise)).flatMap(namesOf))
  for (const { name } of tree.staged()) if (!waiting.has(name)) tree.discard(name)
  for (const promise of reachable) journal.kept(promise)
  await journal.checkpoint()
}

/** The promises to projects whose folder is there. The others wait: an unmounted disk is not written into. */
function reachableOnes(parts: Parts, promises: JournalRecord[]): JournalRecord[] {
  const roots = new Roots(parts)
  const isReachable = new Map(
    promises.length > 0
      ? parts.projects.all().map((project) => [project.id, roots.check(project) === null])
      : [],
  )
  return promises.filter(({ documentId }) => {
    const record = parts.documents.find(documentId)
    return !record || isReachable.get(record.projectId)
  })
}

const namesOf = ({ staged }: JournalRecord) => (staged === null ? [] : [staged, displacedBy(staged)])

/** What the file may be where one or several renames did not reach the disk. */
const earlierRevisions = (promises: JournalRecord[], { documentId }: JournalRecord) =>
  new Set(promises.flatMap((other) => (other.documentId === documentId ? (other.previous ?? []) : [])))

/** Puts the file in place, unless something newer says where the document belongs, or what it is. */
function keep(parts: Parts, promise: JournalRecord, earlier: Set<string>): void {
  const { documents, contents, tree } = parts
  const { documentId, revision, path, vacated } = promise
  const record = documents.find(documentId)
  if (path === null || record?.revision !== revision || placeOf(parts, record) !== path) return
  if (promise.staged === null && vacated !== null) {
    const isWaiting = tree.look(path).kind === 'missing' && tree.look(vacated).kind === 'file'
    if (isWaiting) tree.move(vacated, path)
  }
  const content = contents.find(documentId, revision)
  if (content && isLost(parts, path, { ...promise, earlier, bytes: content.stored }))
    place(parts, path, content.stored)
}

/** Whether the place shows what was there before, or what a power cut leaves: nothing, or zeros. */
function isLost(
  { tree }: Parts,
  path: string,
  promised: { revision: string; earlier: Set<string>; bytes: Buffer },
): boolean {
  if (tree.look(path).kind === 'missing') return true
  const found = tree.read(path)
  if (!found) return false
  const revision = revisionOf(found.bytes)
  if (revision === promised.revision) return false
  return promised.earlier.has(revision) || isTorn(found.bytes, promised.bytes)
}

/** Whether a file that differs from what was promised does so by blocks that did not reach the disk: zeros, or its end is missing. */
function isTorn(found: Buffer, promised: Buffer): boolean {
  return found.length <= promised.length && found.every((byte, at) => byte === 0 || byte === promised[at])
}

function place({ tree }: Parts, path: string, bytes: Buffer): void {
  const look = tree.look(path)
  const { displaced } = tree.place(tree.stage(bytes), path, look.kind === 'file' ? look.stamp : null)
  if (displaced) tree.discard(displaced)
}

/** Takes the file away from where it stood before, unless it is there again, or another document is. */
function clear(parts: Parts, { documentId, vacated, previous, revision }: JournalRecord): void {
  if (vacated === null || isStanding(parts, vacated)) return
  const record = parts.documents.find(documentId)
  if (record && placeOf(parts, record) === vacated) return
  const found = parts.tree.read(vacated)
  if (found && revisionOf(found.bytes) === (previous ?? revision)) parts.tree.remove(vacated)
}

/** What an editor saved at the moment of our rename, and the end came before it was a revision. */
async function keepSavedMeanwhile(
  parts: Parts,
  { staged, documentId, previous }: JournalRecord,
): Promise<void> {
  const name = staged && displacedBy(staged)
  const record = parts.documents.find(documentId)
  const content = name && parts.tree.readStaged(name)
  if (!content || !record || parts.contents.find(documentId, revisionOf(content.bytes))) return
  const path = placeOf(parts, record)
  const isStillInPlace = path !== null && parts.tree.read(path)?.bytes.equals(content.bytes)
  if (!isStillInPlace) await keepDisplaced(parts, name, record, previous)
}

const placeOf = ({ projects }: Parts, record: DocumentRecord): string | null =>
  fileOf(projects.find(record.projectId)!, record)

/** Whether a document that is not deleted has its place at a path within the home. */
function isStanding({ projects, catalogue }: Parts, path: string): boolean {
  const [top, folder, ...names] = path.split('/')
  const project = top === 'projects' && projects.all().find((project) => project.folder === folder)
  return Boolean(project && catalogue.at(project.id, names.join('/')))
}
