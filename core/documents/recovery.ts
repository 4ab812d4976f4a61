import type { JournalRecord } from '../../data/tables/journal.ts'
import type { Content } from './contents.ts'
import type { Parts } from './parts.ts'
import { revisionOf } from './revision.ts'

/**
 * Finishes what the journal promised before the process ended (`design.md`, Durability, exactly): committed bytes that
 * were not in place yet, or that a power cut took away again, are put in place. A file that a person changed meanwhile
 * equals neither the old nor the new revision: it stays, and the scan that follows takes it in on top.
 */
export async function recover(parts: Parts): Promise<void> {
  const { journal, database, tree } = parts
  const promises = journal.all()
  for (const promise of promises) keep(parts, promise)
  for (const { path } of promises) if (path) await tree.flush(path)
  await database.commit(() => {
    for (const { id } of promises) journal.remove(id)
  })
  for (const { name } of tree.staged()) tree.discard(name)
}

function keep(parts: Parts, promise: JournalRecord): void {
  const { documents, contents, tree } = parts
  const record = documents.find(promise.documentId)
  // A later promise for the same document says where it belongs now.
  if (!record || record.revision !== promise.revision) return
  const content = contents.find(promise.documentId, promise.revision)
  if (promise.path === null) {
    if (promise.vacated && isRevision(parts, promise.vacated, promise.revision)) tree.remove(promise.vacated)
    return
  }
  if (promise.staged === null && promise.vacated !== null) {
    const isWaiting = tree.look(promise.path).kind === 'missing' && tree.look(promise.vacated).kind === 'file'
    if (isWaiting) tree.move(promise.vacated, promise.path)
  }
  if (content && isLost(parts, promise)) place(parts, promise.path, content)
  if (promise.vacated && promise.previous && isRevision(parts, promise.vacated, promise.previous)) {
    tree.remove(promise.vacated)
  }
}

/** Whether the place still shows what was there before, or what a power cut leaves: nothing, or nothing but zeros. */
function isLost({ tree }: Parts, { path, previous }: JournalRecord): boolean {
  const look = tree.look(path!)
  if (look.kind === 'missing') return true
  const found = tree.read(path!)
  if (!found) return false
  return revisionOf(found.bytes) === previous || found.bytes.every((byte) => byte === 0)
}

function isRevision({ tree }: Parts, path: string, revision: string): boolean {
  const found = tree.read(path)
  return found !== null && revisionOf(found.bytes) === revision
}

function place({ tree }: Parts, path: string, { stored }: Content): void {
  const look = tree.look(path)
  const staged = tree.stage(stored)
  const { displaced } = tree.place(staged, path, look.kind === 'file' ? look.stamp : null)
  if (displaced) tree.discard(displaced)
}
