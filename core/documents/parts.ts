import type { Database } from '../../data/database.ts'
import type { DocumentsTable } from '../../data/tables/documents.ts'
import type { FolderMovesTable } from '../../data/tables/folder-moves.ts'
import type { FormerNamesTable } from '../../data/tables/former-names.ts'
import type { FormerPagesTable } from '../../data/tables/former-pages.ts'
import type { JournalTable } from '../../data/tables/journal.ts'
import type { LinksTable } from '../../data/tables/links.ts'
import type { MountLocksTable } from '../../data/tables/mount-locks.ts'
import type { RenderedDocumentsTable } from '../../data/tables/rendered-documents.ts'
import type { RepositoriesTable } from '../../data/tables/repositories.ts'
import type { RevisionsTable } from '../../data/tables/revisions.ts'
import type { ScratchFilesTable } from '../../data/tables/scratch-files.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import type { TrashedFilesTable } from '../../data/tables/trashed-files.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Clock } from '../clock.ts'
import type { Events } from '../events/events.ts'
import type { NewId } from '../ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { LinkedPulls } from '../links/linked-pulls.ts'
import type { MarkdownService } from '../markdown/index.ts'
import type { Members } from '../members/members.ts'
import type { Previews } from '../previews/previews.ts'
import type { Projects } from '../projects/projects.ts'
import type { Indexing } from '../search/indexing.ts'
import type { SignedLinks } from '../signed-links.ts'
import type { Touches } from '../touches.ts'
import type { WebhookCalls } from '../webhooks/index.ts'
import type { Annotations } from './annotations.ts'
import type { Catalogue } from './catalogue.ts'
import type { Contents } from './contents.ts'

/** What the documents are built from; handed in by the workspace, where all parts meet. */
export interface Parts {
  clock: Clock
  /** The clock that stamps files, Unix milliseconds: the operating system's, never a test's. */
  diskNow: () => number
  /** How often everything on the disk is looked at, whatever the watcher says. */
  scanEveryMs: number
  newId: NewId
  database: Database
  documents: DocumentsTable
  revisions: RevisionsTable
  folderMoves: FolderMovesTable
  formerNames: FormerNamesTable
  formerPages: FormerPagesTable
  journal: JournalTable
  links: LinksTable
  mountLocks: MountLocksTable
  renderedDocuments: RenderedDocumentsTable
  scratchFiles: ScratchFilesTable
  search: SearchTable
  /** The linked code repositories, which the library counts. */
  repositories: RepositoriesTable
  trashedFiles: TrashedFilesTable
  tree: Tree
  members: Members
  projects: Projects
  events: Events
  /** Of what the database does not hold, such as who is in a document. */
  touches: Touches
  inbox: Inbox
  /** What is found of documents by their links and words. */
  indexing: Indexing
  /** The pull requests that `[[pr:7]]` means; left out where there are none. */
  pulls?: LinkedPulls
  previews: Previews
  webhookCalls: WebhookCalls
  markdown: MarkdownService
  catalogue: Catalogue
  annotations: Annotations
  contents: Contents
  /** Links to files, for an hour and without a key. */
  signedLinks: SignedLinks
  /** Whom an edit on the disk counts for: the member's id, by the owner of the file. */
  diskMember: (uid: number) => string
  /** Absolute address of a page, from its path. */
  pageUrl: (path: string) => string
  /** Hears what an operator should: never a caller's mistake. */
  onProblem: (message: string, error?: unknown) => void
}
