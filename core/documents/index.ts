import type { DocumentRecord } from '../../data/tables/documents.ts'
import { Alarm } from '../alarm.ts'
import { Attachments } from '../attachments/attachments.ts'
import { removeUnconfirmed } from '../attachments/unconfirmed.ts'
import type { Config } from '../config.ts'
import { FileTrash } from '../files/file-trash.ts'
import { LibraryFiles } from '../files/library-files.ts'
import type { Problem } from '../health/types.ts'
import { Links } from '../links/links.ts'
import { Refs } from '../links/refs.ts'
import type { Caller } from '../members/types.ts'
import { Mount } from '../mount/mount.ts'
import type { Project } from '../projects/types.ts'
import { RenderingAhead } from '../rendering/ahead.ts'
import { FileAddresses } from '../rendering/file-addresses.ts'
import { Filling } from '../rendering/filling.ts'
import { ForeignFiles } from '../rendering/foreign-files.ts'
import { Preview } from '../rendering/preview.ts'
import { Rendering } from '../rendering/rendering.ts'
import { StoredHtml } from '../rendering/stored-html.ts'
import { Texts } from '../rendering/texts.ts'
import { Upkeep } from '../search/upkeep.ts'
import { Addressing } from './addressing.ts'
import { BoardCards } from './board-cards.ts'
import { Briefing } from './briefing.ts'
import { ByPath } from './by-path.ts'
import { Cards } from './cards.ts'
import { Comparing } from './differences.ts'
import { Disk } from './disk/disk.ts'
import { trashMs } from './disk/identity.ts'
import type { Skipped } from './disk/oddities.ts'
import { Roots } from './disk/roots.ts'
import { DisplacedFiles } from './displaced.ts'
import { Door } from './door.ts'
import { Facts } from './facts.ts'
import { Filing } from './filing.ts'
import { FolderMoves } from './folder-moves.ts'
import { FolderRecovery } from './folder-recovery.ts'
import { Journal } from './journal.ts'
import { Lists } from './lists.ts'
import { Locks } from './locks.ts'
import type { Parts } from './parts.ts'
import { PathWrites } from './path-writes.ts'
import { PostRecords } from './post-records.ts'
import { DocumentPresence } from './presence.ts'
import { ProjectTrash } from './project-trash.ts'
import { Reads } from './reads.ts'
import { Recovery } from './recovery.ts'
import { Trash } from './trash.ts'
import type { Address, Documents, Precondition, Reading } from './types.ts'
import { Writes } from './writes.ts'

export type { Parts } from './parts.ts'
export type * from './types.ts'

/** The documents as the workspace runs them. */
export interface DocumentsService extends Documents {
  /** Finishes what a crash left, takes in what happened on the disk meanwhile, publishes what became due, then watches. */
  start(): Promise<void>
  /** Ends timers and the watcher; what is in place has been made durable then. */
  stop(): Promise<void>
  /** Looks at the whole disk now. */
  scan(): Promise<void>
  /** Another process changed the database. */
  refresh(): Promise<void>
  /** Publishes the drafts that are due: those of a project that was archived have waited. */
  publishDue(): Promise<void>
  /** @throws WorkspaceError `unavailable` where a look at the project's folder shows that it cannot be used */
  requireThere(project: Project): void
  /** Whether a document's file is there, or its project cannot be looked into: a look at it now. */
  isThere(record: DocumentRecord): boolean
  /** Posts by their ids alone: for what is done with them beside their files. */
  readonly postRecords: PostRecords
  /** What belongs to posts and drafts. */
  readonly attachments: Attachments
  /** The uploaded files of the projects. */
  readonly libraryFiles: LibraryFiles
  /** The projects as folders of files. */
  mount(limits: Pick<Config['limits'], 'markdownBytes' | 'uploadBytes'>): Mount
  problems(): Problem[]
  skipped(): Skipped[]
}

/** Builds the documents on their parts; the catalogue is filled from the table. */
export function documentsService(parts: Parts): DocumentsService {
  const { catalogue, documents, onProblem, clock } = parts
  for (const record of documents.live()) catalogue.put(record)

  const locks = new Locks()
  const roots = new Roots(parts)
  const displacedFiles = new DisplacedFiles(parts, locks)
  const journal = new Journal(parts, { displacedFiles, roots })
  const recovery = new Recovery(parts, {
    displacedFiles,
    folders: new FolderRecovery(parts, roots),
    journal,
    roots,
  })
  const door = new Door(parts)
  const filing = new Filing(parts, door, journal)
  const disk = new Disk(parts, { filing, locks, roots })
  const addressing = new Addressing(parts, disk, locks)
  const reads = new Reads(parts, addressing)
  const presence = new DocumentPresence(parts, { addressing, reads })
  const writes = new Writes(parts, { addressing, disk, filing, locks, presence, reads })
  const cards = new Cards(parts, addressing, writes)
  const trash = new Trash(parts, { addressing, disk, filing, locks })
  const fileTrash = new FileTrash(parts)
  const projectTrash = new ProjectTrash(parts, { disk, locks, trash, fileTrash })
  const byPath = new ByPath(parts, { disk, locks })
  const pathWrites = new PathWrites(parts, { byPath, filing, presence, trash })
  const folderMoves = new FolderMoves(parts, { disk, door, filing, journal, locks })
  const lists = new Lists(parts, addressing, disk)
  const briefing = new Briefing(parts, { disk, reads })
  const links = new Links(parts, { addressing, disk, reads })
  const filling = new Filling(links, new FileAddresses(parts))
  const stored = new StoredHtml(parts)
  const rendering = new Rendering(parts, { addressing, filling, stored })
  const ahead = new RenderingAhead({ rendering, stored, find: (id) => catalogue.find(id) })
  const preview = new Preview(parts, { addressing, filling })
  const texts = new Texts(parts, filling)
  const foreignFiles = new ForeignFiles(parts, filling)
  const refs = new Refs(parts, (record) => disk.isThere(record))
  const facts = new Facts(parts, { addressing, disk, presence })
  const boardCards = new BoardCards(parts, { addressing, disk })
  const comparing = new Comparing(parts, addressing)
  const upkeep = new Upkeep(parts)

  const publishing = new Alarm(
    clock,
    async () => {
      for (const id of documents.dueBy(clock.now())) await writes.publishDue(id)
      return documents.nextScheduledMs()
    },
    (error) => onProblem('Scheduled drafts could not be published; this is tried again', error),
  )
  const emptying = new Alarm(
    clock,
    () => projectTrash.empty(),
    (error) => onProblem('The trash could not be emptied; this is tried again', error),
  )
  fileTrash.onTaken((dueMs) => emptying.dueAt(dueMs))
  filing.onFiled((record, { content }) => {
    if (content) ahead.want(record)
    presence.follow(record, content)
    if (record.deletedMs !== null) emptying.dueAt(record.deletedMs + trashMs + 1)
    else if (record.kind === 'draft' && record.scheduledMs !== null) publishing.dueAt(record.scheduledMs)
  })

  return {
    read: (caller: Caller, address: Address, revision?: string) => reads.read(caller, address, revision),
    briefing: (caller: Caller, project: string): Promise<Reading> => briefing.read(caller, project),
    view: (caller: Caller, address: Address, view: 'blocks' | 'outline') => reads.view(caller, address, view),
    rendered: (caller: Caller, address: Address, revision?: string) =>
      rendering.document(caller, address, revision),
    async renderedHome(caller: Caller, project: string) {
      const { home } = await briefing.home(caller, project)
      return home && rendering.record(caller, home)
    },
    preview: (caller, writing, bytes) => preview.of(caller, writing, bytes),
    facts: (caller, address) => facts.of(caller, address),
    movedTo: (caller, address) => facts.movedTo(caller, address),
    factsIn: (caller, project, folder, limit) => facts.in(caller, project, folder, limit),
    strayFolders: (caller, project) => facts.strayFolders(caller, project),
    cards: (caller, project) => boardCards.in(caller, project),
    differences: (caller, address, sides) => comparing.differences(caller, address, sides),
    renderedTexts: (caller, said) => texts.html(caller, said),
    renderedForeign: (body, pageOf) => foreignFiles.html(body, pageOf),
    revisions: (caller: Caller, address: Address) => reads.revisions(caller, address),
    put: (caller: Caller, address: Address, body: Uint8Array, precondition: Precondition) =>
      writes.put(caller, address, body, precondition),
    putBlock: (caller, address, block, body, precondition) =>
      writes.putBlock(caller, address, block, body, precondition),
    restore: (caller, address, revision) => writes.restore(caller, address, revision),
    publish: (caller, address) => writes.publish(caller, address),
    move: (caller, address, to) => cards.move(caller, address, to),
    remove: (caller, address, precondition) => trash.remove(caller, address, precondition),
    trash: (caller, project) => projectTrash.list(caller, project),
    restoreFromTrash: (caller, project, id) => projectTrash.restore(caller, project, id),
    posts: (caller, project) => lists.posts(caller, project),
    drafts: (caller, project) => lists.drafts(caller, project),
    documents: (caller, project) => lists.documents(caller, project),
    documentsBelow: (caller, project, folder) => lists.documentsBelow(caller, project, folder),
    library: (caller, project) => lists.library(caller, project),
    board: (caller, project) => lists.board(caller, project),
    column: (caller, project, column) => lists.column(caller, project, column),
    plannedCards: (caller, project) => lists.plannedCards(caller, project),
    links: (caller, address) => links.of(caller, address),
    backlinks: (caller, address) => links.backlinks(caller, address),
    refs: (caller, project, query) => refs.find(caller, project, query),
    beat: (caller, address, state) => presence.beat(caller, address, state),
    leave: (caller, address) => presence.leave(caller, address),
    present: (caller, member) => presence.list(caller, member),
    postCount: (projectId) => catalogue.countOfKind(projectId, 'post'),
    count: (projectId) => catalogue.countInProject(projectId),

    async start() {
      await recovery.start()
      await removeUnconfirmed(parts)
      await disk.start()
      await publishing.start()
      await fileTrash.adoptUnknown()
      await emptying.start()
      ahead.start()
      upkeep.wake()
    },
    async stop() {
      ahead.stop()
      await stored.settle()
      await upkeep.stop()
      await publishing.stop()
      await emptying.stop()
      await presence.stop()
      await disk.stop()
      await folderMoves.stop()
      await displacedFiles.stop()
      await journal.stop()
    },
    scan: () => disk.scan(),
    refresh: () => disk.refresh(),
    publishDue: () => publishing.start(),
    requireThere: (project) => disk.requireThere(project),
    isThere: (record) => disk.isThere(record),
    postRecords: new PostRecords(parts, addressing, disk),
    attachments: new Attachments(parts, { addressing, disk }),
    libraryFiles: new LibraryFiles(parts, { addressing, disk, fileTrash, locks }),
    mount: (limits) =>
      new Mount(parts, { addressing, byPath, disk, fileTrash, folderMoves, locks, pathWrites }, limits),
    problems: () => disk.problems(),
    skipped: () => disk.skipped(),
  }
}
