import type { DocumentRecord } from '../../data/tables/documents.ts'
import { Locks } from '../concurrency/name-locks.ts'
import { DueTimer } from '../time/due-timer.ts'
import { AddressResolver } from './addressing/address-resolver.ts'
import { DocumentLocker } from './addressing/document-locker.ts'
import { PathResolver } from './addressing/path-resolver.ts'
import { PostLookup } from './addressing/post-lookup.ts'
import type { DocumentsDeps } from './deps/deps.ts'
import { DiskSync } from './disk/disk-sync.ts'
import type { Change } from './model/change.ts'
import { DocumentPresence } from './presence/presence.ts'
import { DocumentActivity } from './reading/activity.ts'
import { BoardCards } from './reading/board-cards.ts'
import { Briefing } from './reading/briefing.ts'
import { DocumentDetailsReader } from './reading/document-details.ts'
import { DocumentLists } from './reading/lists.ts'
import { Reads } from './reading/reads.ts'
import { RevisionDiffs } from './reading/revision-diff.ts'
import { ChangeCommitter } from './recording/change-committer.ts'
import { ChangeRecorder } from './recording/change-recorder.ts'
import { SortedLists } from './sorting/sorted-lists.ts'
import { DisplacedFiles, type FoundSave } from './storage/displaced.ts'
import { FolderMoveFlusher } from './storage/folder-move-flusher.ts'
import { FolderRecovery } from './storage/folder-recovery.ts'
import { Journal } from './storage/journal.ts'
import { ProjectRoots } from './storage/project-roots.ts'
import { type OvertakenRevision, Recovery } from './storage/recovery.ts'
import { Trash } from './trash/trash.ts'
import { Cards } from './writing/cards.ts'
import { Changes } from './writing/changes.ts'
import { DocumentMoves } from './writing/document-moves.ts'
import { FolderMoves } from './writing/folder-moves.ts'
import { Patches } from './writing/patches.ts'
import { PathWrites } from './writing/path-writes.ts'
import { TextSaves } from './writing/text-saves.ts'
import { Writes } from './writing/writes.ts'

export type { DocumentsDeps } from './deps/deps.ts'
export type * from './model/types.ts'

/** Each method checks access, except those that count. */
export interface Documents {
  readonly reads: Pick<Reads, 'read' | 'view' | 'revisions'>
  readonly briefing: Pick<Briefing, 'read'>
  readonly details: Pick<
    DocumentDetailsReader,
    'read' | 'movedTo' | 'list' | 'listedChanges' | 'untrackedFolders'
  >
  readonly activity: Pick<DocumentActivity, 'page'>
  readonly diffs: Pick<RevisionDiffs, 'diff'>
  readonly lists: Pick<
    DocumentLists,
    | 'posts'
    | 'drafts'
    | 'documents'
    | 'documentsBelow'
    | 'library'
    | 'board'
    | 'column'
    | 'plannedCards'
    | 'postCount'
    | 'count'
  >
  readonly board: Pick<BoardCards, 'cards' | 'changes'>
  readonly writes: Pick<Writes, 'put' | 'putBlock' | 'restore' | 'publish'>
  readonly patches: Pick<Patches, 'patch'>
  readonly cards: Pick<Cards, 'move'>
  readonly moves: Pick<DocumentMoves, 'move' | 'rename'>
  readonly trash: Pick<Trash, 'remove'>
  readonly presence: Pick<DocumentPresence, 'beat' | 'leave' | 'list'>
}

/** What other parts of core use; most of it checks no access. */
export interface DocumentInternals {
  addressing: AddressResolver
  briefing: Briefing
  byPath: PathResolver
  disk: DiskSync
  folderMoves: FolderMoves
  journal: Pick<Journal, 'checkpoint'>
  locks: Locks
  pathWrites: PathWrites
  postRecords: PostLookup
  presence: DocumentPresence
  reads: Reads
  textSaves: TextSaves
  trash: Trash
  onCommitted(listener: (record: DocumentRecord, change: Change) => void): void
  /** Reports what an editor saved in a file while a write replaced it; the current revision lacks it. */
  onDisplaced(listener: (save: FoundSave) => void): void
  /** Waits until all displaced files have been checked. */
  checkDisplaced(): Promise<void>
  /** Reports what recovery did not place because a person had changed the file. */
  onOvertaken(listener: (overtaken: OvertakenRevision) => void): void
  recover(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  publishDue(): Promise<void>
}

export function openDocuments(shared: DocumentsDeps): { documents: Documents; internals: DocumentInternals } {
  shared.catalogue.load(shared.documents.eachLive())
  const storage = openStorage(shared)
  const locker = new DocumentLocker(storage)
  const addressing = new AddressResolver(shared, { disk: storage.disk, locker })
  const reads = new Reads(shared, addressing)
  const sorted = new SortedLists(shared, () => storage.disk.copiesVersion)
  const briefing = new Briefing(shared, { disk: storage.disk, reads })
  const opened = {
    ...storage,
    ...openWriting(shared, { ...storage, addressing, reads }),
    addressing,
    briefing,
    locker,
    reads,
    sorted,
  }
  return { documents: documentsOf(shared, opened), internals: internalsOf(shared, opened) }
}

type Opened = Storage &
  ReturnType<typeof openWriting> & {
    locker: DocumentLocker
    addressing: AddressResolver
    reads: Reads
    briefing: Briefing
    sorted: SortedLists
  }

function documentsOf(shared: DocumentsDeps, opened: Opened): Documents {
  const { addressing, briefing, changes, disk, presence, reads, sorted, trash, writes } = opened
  return {
    reads,
    briefing,
    details: new DocumentDetailsReader(shared, {
      addressing,
      disk,
      presentMembers: (record, project) => presence.membersIn(record, project),
    }),
    activity: new DocumentActivity(shared, addressing),
    diffs: new RevisionDiffs(shared, addressing),
    lists: new DocumentLists(shared, addressing, disk, sorted),
    board: new BoardCards(shared, { addressing, disk }),
    writes,
    patches: new Patches(shared, { addressing, disk, presence, reads, writes }),
    cards: new Cards(shared, addressing, writes),
    moves: new DocumentMoves(shared, { addressing, changes }),
    trash,
    presence,
  }
}

function internalsOf(shared: DocumentsDeps, opened: Opened): DocumentInternals {
  const { addressing, briefing, changeCommitter, changes, disk, displacedFiles, locker, journal } = opened
  const { locks, presence, publishing, reads, recovery, sorted, trash, writes } = opened
  const byPath = new PathResolver(shared, { disk, locker })
  return {
    addressing,
    briefing,
    byPath,
    disk,
    folderMoves: new FolderMoves(shared, opened),
    journal,
    locks,
    pathWrites: new PathWrites(shared, { byPath, changes, presence }),
    postRecords: new PostLookup(shared, addressing, disk, sorted),
    presence,
    reads,
    textSaves: new TextSaves(shared, { disk, locker, writes }),
    trash,
    onCommitted: (listener) => changeCommitter.onCommitted(listener),
    onDisplaced: (listener) => void displacedFiles.found.listen(listener),
    checkDisplaced: () => displacedFiles.checkUntilStable(),
    onOvertaken: (listener) => void recovery.overtaken.listen(listener),
    recover: () => recovery.start(),
    async start() {
      await disk.start()
      void shared.catalogue.finishLoading()
      await publishing.start()
    },
    async stop() {
      await publishing.stop()
      await presence.stop()
      await disk.stop()
      await opened.stop()
    },
    publishDue: () => publishing.start(),
  }
}

type Storage = ReturnType<typeof openStorage>

function openStorage(shared: DocumentsDeps) {
  const locks = new Locks()
  const roots = new ProjectRoots(shared)
  const displacedFiles = new DisplacedFiles(shared, locks)
  const journal = new Journal(shared, { displacedFiles, roots })
  const flusher = new FolderMoveFlusher(shared)
  const folders = new FolderRecovery(shared, { flusher, roots })
  const recovery = new Recovery(shared, { displacedFiles, folders, journal, roots })
  const changeRecorder = new ChangeRecorder(shared)
  const changeCommitter = new ChangeCommitter(shared, changeRecorder, journal)
  const disk = new DiskSync(shared, { changeCommitter, locks, roots })
  return {
    disk,
    displacedFiles,
    changeRecorder,
    changeCommitter,
    flusher,
    journal,
    locks,
    recovery,
    async stop() {
      await flusher.stop()
      await displacedFiles.stop()
      await changeCommitter.stop()
      await journal.stop()
    },
  }
}

function openWriting(shared: DocumentsDeps, deps: Storage & { addressing: AddressResolver; reads: Reads }) {
  const { changeCommitter } = deps
  const presence = new DocumentPresence(shared, deps)
  const changes = new Changes(shared, { changeCommitter, presence })
  const writes = new Writes(shared, { ...deps, changes, presence })
  const trash = new Trash(shared, { ...deps, changes })
  const publishing = publishingOf(shared, writes)
  changeCommitter.onCommitted((record, { before, content }) => {
    presence.rebindAfterWrite(record, content)
    for (const { id, kind, number, projectId } of before ? [before, record] : [record]) {
      if (kind === 'card') shared.changeTopics.markCardChanged(projectId, { id, number: number! })
      if (kind === 'document') shared.changeTopics.markListedChanged(projectId, id)
    }
    if (record.deletedMs === null && record.kind === 'draft' && record.scheduledMs !== null)
      publishing.dueAt(record.scheduledMs)
  })
  return { changes, presence, publishing, trash, writes }
}

const publishingOf = ({ clock, documents, onProblem }: DocumentsDeps, writes: Writes): DueTimer =>
  new DueTimer(
    clock,
    async () => {
      for (const id of documents.dueBy(clock.now())) await writes.publishDue(id)
      return documents.nextScheduledMs()
    },
    (error) => onProblem('Scheduled drafts could not be published; this is tried again', error),
  )
