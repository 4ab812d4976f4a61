import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { revisionOf } from '../../../core/revisions/revision.ts'
import { eventsOf, type LoggedEvent } from '../../support/event-log.ts'
import { filesIn, stagedFiles } from '../../support/home-state.ts'

/** What was asked of one document. Unanswered requests may have happened or not. */
interface Account {
  /** Revisions whose writes were answered, in the order of the answers. */
  written: string[]
  /** Changes without new bytes, such as moves and publications. */
  moved: { answered: number; unanswered: number }
  deleted: { answered: number; unanswered: number }
}

interface DocumentRow {
  id: string
  kind: 'home' | 'post' | 'draft' | 'document' | 'card'
  path: string
  revision: string
  deletedMs: number | null
}

/** The records of a home's project `general` in its database. */
export interface Records {
  documents: Map<string, DocumentRow>
  /** By document, oldest first. */
  revisions: Map<string, string[]>
  events: LoggedEvent[]
}

/** Records what was sent to a server and what it answered, and compares the home with it. */
export class Ledger {
  private readonly home: string
  private readonly accounts = new Map<string, Account>()
  /** Everything that was sent whole or saved by hand, by revision. */
  private readonly sent = new Map<string, string>()
  private readonly byHand = new Map<string, { id: string | null; revision: string }>()
  private eventsSeen: LoggedEvent[] = []

  constructor(home: string) {
    this.home = home
    for (const text of Object.values(filesIn(home))) this.send(text)
  }

  /** Records bytes that are about to be sent. @returns their revision */
  send(text: string): string {
    const revision = revisionOf(Buffer.from(text))
    this.sent.set(revision, text)
    return revision
  }

  written(id: string, revision: string): void {
    this.account(id).written.push(revision)
  }

  moved(id: string, how: 'answered' | 'unanswered'): void {
    this.account(id).moved[how]++
  }

  deleted(id: string, how: 'answered' | 'unanswered'): void {
    this.account(id).deleted[how]++
  }

  /** Records a person's save on the disk, at a path in the project `general`. */
  saved(path: string, text: string): void {
    this.byHand.set(path, { id: this.byHand.get(path)?.id ?? null, revision: this.send(text) })
  }

  /** @returns a sentence for each difference from what was answered */
  differences(records: Records): string[] {
    const found: string[] = []
    const files = filesIn(this.home)
    for (const [id, account] of this.accounts) found.push(...this.differencesOf(id, account, records, files))
    found.push(...this.differencesByHand(records))
    for (const [path, text] of Object.entries(files)) {
      const isMarker = path.endsWith('.workroom')
      if (!isMarker && !this.sent.has(revisionOf(Buffer.from(text))))
        found.push(`${path} was never sent like this`)
    }
    for (const name of stagedFiles(this.home)) found.push(`${name} is left in .workroom/tmp`)
    found.push(...this.differencesOfLog(records.events))
    return found
  }

  private differencesOf(
    id: string,
    account: Account,
    { documents, revisions, events }: Records,
    files: Record<string, string>,
  ): string[] {
    const { written, moved, deleted } = account
    const found: string[] = []
    const row = documents.get(id)
    if (!row) return [`${id} is gone`]
    const kept = revisions.get(id) ?? []
    const file = fileOf(row, files)
    if (row.deletedMs === null && file === undefined) found.push(`${id} has no file at ${row.path}`)
    if (file !== undefined && revisionOf(Buffer.from(file)) !== row.revision)
      found.push(`${row.path} is not ${row.revision}`)
    if (kept.at(-1) !== row.revision) found.push(`${row.path} is not its newest revision`)
    for (const revision of written) {
      const count = kept.filter((other) => other === revision).length
      if (count !== 1) found.push(`${row.path} has the answered revision ${revision} ${count} times`)
    }
    for (const revision of kept) {
      if (!this.sent.has(revision)) found.push(`${row.path} has ${revision}, which was never sent whole`)
    }
    const own = events.filter(({ documentId }) => documentId === id)
    const moves = own.filter(({ type }) => type === 'doc.write').length - kept.length
    if (!isWithin(moves, moved))
      found.push(`${row.path} has ${moves} events more than revisions, of ${JSON.stringify(moved)}`)
    const deletions = own.filter(({ type }) => type === 'doc.delete').length
    if (!isWithin(deletions, deleted) || deletions > 0 !== (row.deletedMs !== null))
      found.push(`${row.path} has ${deletions} deletions, of ${JSON.stringify(deleted)}`)
    return found
  }

  private differencesByHand({ documents, revisions, events }: Records): string[] {
    const found: string[] = []
    for (const [path, saved] of this.byHand) {
      const rows = [...documents.values()].filter((row) => row.path === path && row.deletedMs === null)
      const [row] = rows
      if (!row || rows.length > 1) {
        found.push(`${path}, saved by hand, is ${rows.length} documents`)
        continue
      }
      if (row.revision !== saved.revision) found.push(`${path} is not as it was saved by hand`)
      if (saved.id !== null && saved.id !== row.id) found.push(`${path} was ${saved.id} and is ${row.id}`)
      saved.id = row.id
      const count = events.filter(({ documentId }) => documentId === row.id).length
      if (count !== revisions.get(row.id)!.length) found.push(`${path} has ${count} events`)
    }
    return found
  }

  /** Logged events must stay, and new ones must have higher ticks. */
  private differencesOfLog(events: LoggedEvent[]): string[] {
    const before = this.eventsSeen
    this.eventsSeen = events
    const isKept = before.every((event, at) => JSON.stringify(event) === JSON.stringify(events[at]))
    const isRising = events.every(({ tick }, at) => at === 0 || tick > events[at - 1]!.tick)
    return [...(isKept ? [] : ['Events have changed']), ...(isRising ? [] : ['Ticks do not rise'])]
  }

  private account(id: string): Account {
    const account = this.accounts.get(id) ?? {
      written: [],
      moved: { answered: 0, unanswered: 0 },
      deleted: { answered: 0, unanswered: 0 },
    }
    this.accounts.set(id, account)
    return account
  }
}

/** Returns the content of a document's file, at its path or in the trash. */
function fileOf({ id, path, deletedMs }: DocumentRow, files: Record<string, string>): string | undefined {
  if (deletedMs === null) return files[`projects/general/${path}`]
  return Object.entries(files).find(([name]) => name.startsWith(`trash/general/${id}-`))?.[1]
}

const isWithin = (count: number, { answered, unanswered }: { answered: number; unanswered: number }) =>
  count >= answered && count <= answered + unanswered

/** Reads a home's records over a connection of its own. */
export function recordsOf(home: string): Records {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    const documents = db
      .prepare<[], DocumentRow>(`
        SELECT id, kind, path, revision, deleted_ms AS deletedMs FROM documents
        WHERE project_id = (SELECT id FROM projects WHERE slug = 'general')`)
      .all()
    const revisions = new Map<string, string[]>(documents.map(({ id }) => [id, []]))
    const rows = db
      .prepare<[], { id: string; revision: string }>(
        'SELECT document_id AS id, revision FROM revisions ORDER BY revisions.id',
      )
      .all()
    for (const { id, revision } of rows) revisions.get(id)?.push(revision)
    return { documents: new Map(documents.map((row) => [row.id, row])), revisions, events: eventsOf(home) }
  } finally {
    db.close()
  }
}
