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

export interface SharedDeps {
  clock: Clock
  /** The clock that stamps files, Unix milliseconds: the operating system's, also in tests. */
  diskNow: () => number
  newId: NewId
  database: Database
  documents: DocumentsTable
  revisions: RevisionsTable
  tree: Tree
  members: MemberStore
  projects: ProjectStore
  /** For what the database does not store, such as presence. */
  touches: ChangeTopics
  markdown: MarkdownService
  catalogue: Catalogue
  annotations: DocumentMetadata
  contents: RevisionContents
  pageUrl: (path: string) => string
  /** Reports to the operator; never a caller's mistake. */
  onProblem: (message: string, error?: unknown) => void
}

export interface DocumentsDeps extends SharedDeps, Ports {
  /** How often the disk is scanned, in addition to the watcher's hints. */
  scanEveryMs: number
  folderMoves: FolderMovesTable
  formerNames: FormerNamesTable
  formerPages: FormerPagesTable
  journal: JournalTable
  /** The member to whom an edit on the disk is attributed, by the file's owner. */
  diskMember: (uid: number) => string
}
