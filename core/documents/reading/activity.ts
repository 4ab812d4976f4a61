import { LRUCache } from 'lru-cache'
import type { CommentsTable } from '../../../data/tables/comments.ts'
import type { DocumentMoveRow } from '../../../data/tables/document-moves.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { type Author, authorOf, type Caller } from '../../access/member.ts'
import { readableText } from '../../markdown/readable-text.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { Via } from '../model/change.ts'
import { columns } from '../model/columns.ts'
import { columnOf, filenameOf } from '../model/document-paths.ts'
import type { Address } from '../model/types.ts'
import { type RevisionChange, revisionChanges } from './revision-changes.ts'

export type ActivityChange =
  | RevisionChange
  | { kind: 'created' }
  | { kind: 'moved'; from: string; to: string; isFromOtherProject: boolean }
  | { kind: 'published' | 'deleted' | 'restored' }
  | { kind: 'commented'; commentId: string }

export interface ActivityEntry {
  atMs: number
  by: Author[]
  via: Via
  changes: ActivityChange[]
}

interface ActivityPage {
  /** Newest first. */
  entries: ActivityEntry[]
  hasOlder: boolean
}

interface ActivityRow {
  atMs: number
  entry(): ActivityEntry
}

/** A change of a longer text is reported without details. */
const maxComparedBytes = 128 * 1024
const maxCached = 5000

type RevisionHead = ReturnType<DocumentsDeps['revisions']['heads']>[number]

export class DocumentActivity {
  /** By the revision's row. Revisions are immutable, so entries are never out of date. */
  private readonly cache = new LRUCache<number, RevisionChange[]>({ max: maxCached })

  constructor(
    private readonly shared: DocumentsDeps,
    private readonly addressing: AddressResolver,
  ) {}

  /** @param page from 1, of `size` changes @throws WorkspaceError as a read of the file */
  async page(
    caller: Caller,
    address: Address,
    { page, size }: { page: number; size: number },
  ): Promise<ActivityPage> {
    const { record } = await this.addressing.require(caller, address, 'read')
    const end = page * size
    const rows = this.rows(record, end + 1)
    const pageRows = rows.slice(end - size, end)
    return {
      entries: pageRows.map((row) => row.entry()),
      hasOlder: rows.length > end,
    }
  }

  private rows(record: DocumentRecord, limit: number): ActivityRow[] {
    const { comments, documentMoves, revisions } = this.shared
    const heads = revisions.heads(record.id, limit + 1)
    return [
      ...comments.newest(record.id, limit).map((comment) => this.commentRow(comment)),
      ...documentMoves.newest(record.id, limit).map((move) => this.moveRow(move)),
      ...heads.slice(0, limit).map((head, index) => this.revisionRow(record, head, heads[index + 1])),
    ]
      .sort((one, other) => other.atMs - one.atMs)
      .slice(0, limit)
  }

  private commentRow({ id, authorId, createdMs }: ReturnType<CommentsTable['newest']>[number]): ActivityRow {
    const changes = [{ kind: 'commented', commentId: id } as const]
    return {
      atMs: createdMs,
      entry: () => ({ atMs: createdMs, by: this.people([authorId]), via: 'api', changes }),
    }
  }

  private moveRow(move: DocumentMoveRow): ActivityRow {
    const { atMs, actorId, via } = move
    return {
      atMs,
      entry: () => ({ atMs, by: this.people([actorId]), via, changes: [moveChange(move)] }),
    }
  }

  private revisionRow(
    record: DocumentRecord,
    head: RevisionHead,
    before: RevisionHead | undefined,
  ): ActivityRow {
    const { atMs, authorId, via, revision } = head
    return {
      atMs,
      entry: () => {
        const changes = before ? this.changes(record, head, before) : [{ kind: 'created' } as const]
        const writers = this.shared.revisionWriters
          .list(record.id)
          .filter((writer) => writer.revision === revision)
          .map(({ memberId }) => memberId)
        return { atMs, by: this.people(writers.length > 0 ? writers : [authorId]), via, changes }
      },
    }
  }

  private changes(
    { id: documentId }: DocumentRecord,
    head: RevisionHead,
    before: RevisionHead,
  ): RevisionChange[] {
    const cached = this.cache.get(head.id)
    if (cached) return cached
    if (Math.max(head.bytes, before.bytes) > maxComparedBytes) return [{ kind: 'text' }]
    const { contents } = this.shared
    const changes = revisionChanges(
      contents.get(documentId, before.revision),
      contents.get(documentId, head.revision),
    ).map(withReadableTasks)
    this.cache.set(head.id, changes)
    return changes
  }

  private people(ids: readonly string[]): Author[] {
    return ids.map((id) => authorOf(this.shared.members.find(id)!))
  }
}

const withReadableTasks = (change: RevisionChange): RevisionChange =>
  change.kind === 'tasks'
    ? { ...change, done: change.done.map(readableText), reopened: change.reopened.map(readableText) }
    : change

function moveChange({ kind, fromPath, toPath, fromProject }: DocumentMoveRow): ActivityChange {
  if (kind !== 'moved') return { kind }
  return {
    kind,
    from: locationOf(fromPath),
    to: locationOf(toPath),
    isFromOtherProject: fromProject !== null,
  }
}

/** A card's column, or a file's name in its folder. */
function locationOf(path: string): string {
  const column = columnOf({ path })
  return columns.find(({ name }) => name === column)?.title ?? filenameOf({ path })
}
