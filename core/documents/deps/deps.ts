import type { Database } from '../../../data/database.ts'
import type { DocumentsTable } from '../../../data/tables/documents.ts'
import type { FolderMovesTable } from '../../../data/tables/folder-moves.ts'
import type { FormerNamesTable } from '../../../data/tables/former-names.ts'
import type { FormerPagesTable } from '../../../data/tables/former-pages.ts'
import type { JournalTable } from '../../../data/tables/journal.ts'
import type { RevisionsTable } from '../../../data/tables/revisions.ts'
import type { Tree } from '../../../data/tree/index.ts'
import type { NewId } from '../../ids.ts'
import type { MarkdownService } from '../../markdown/index.ts'
import type { MemberStore } from '../../members/member-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import type { Clock } from '../../time/clock.ts'
import type { ChangeTopics } from '../../touches/touches.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { DocumentMetadata } from '../catalogue/document-metadata.ts'
import type { RevisionContents } from '../catalogue/revision-contents.ts'
import type { Ports } from './ports.ts'

/** What everything that works on documents shares. */
export interface SharedDeps {
  clock: Clock
  /** The clock that stamps files, Unix milliseconds: the operating system's, never a test's. */
  diskNow: () => number
  newId: NewId
  database: Database
  documents: DocumentsTable
  revisions: RevisionsTable
  tree: Tree
  members: MemberStore
  projects: ProjectStore
  /** Of what the database does not hold, such as who is in a document. */
  touches: ChangeTopics
  markdown: MarkdownService
  catalogue: Catalogue
  annotations: DocumentMetadata
  contents: RevisionContents
  /** Absolute address of a page, from its path. */
  pageUrl: (path: string) => string
  /** Hears what an operator should: never a caller's mistake. */
  onProblem: (message: string, error?: unknown) => void
}

/** What the documents are built from. */
export interface DocumentsDeps extends SharedDeps, Ports {
  /** How often everything on the disk is looked at, whatever the watcher says. */
  scanEveryMs: number
  folderMoves: FolderMovesTable
  formerNames: FormerNamesTable
  formerPages: FormerPagesTable
  journal: JournalTable
  /** Whom an edit on the disk counts for: the member's id, by the owner of the file. */
  diskMember: (uid: number) => string
}
