import type { Database } from '../../../data/database.ts'
import type { CommentsTable } from '../../../data/tables/comments.ts'
import type { DocumentMovesTable } from '../../../data/tables/document-moves.ts'
import type { DocumentsTable } from '../../../data/tables/documents.ts'
import type { FolderMovesTable } from '../../../data/tables/folder-moves.ts'
import type { FormerNamesTable } from '../../../data/tables/former-names.ts'
import type { FormerPagesTable } from '../../../data/tables/former-pages.ts'
import type { JournalTable } from '../../../data/tables/journal.ts'
import type { RevisionWritersTable } from '../../../data/tables/revision-writers.ts'
import type { RevisionsTable } from '../../../data/tables/revisions.ts'
import type { Tree } from '../../../data/tree/index.ts'
import type { ChangeTopics } from '../../change-topics/change-topics.ts'
import type { NewId } from '../../ids.ts'
import type { MarkdownService } from '../../markdown/index.ts'
import type { MemberStore } from '../../members/member-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import type { Clock } from '../../time/clock.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { DocumentMetadata } from '../catalogue/document-metadata.ts'
import type { RevisionContents } from '../catalogue/revision-contents.ts'
import type { Ports } from './ports.ts'

export interface SharedDeps {
  clock: Clock
  /** The operating system's clock, which stamps files, also in tests. Unix milliseconds. */
  diskNow: () => number
  newId: NewId
  database: Database
  documents: DocumentsTable
  revisions: RevisionsTable
  revisionWriters: RevisionWritersTable
  tree: Tree
  members: MemberStore
  projects: ProjectStore
  changeTopics: ChangeTopics
  markdown: MarkdownService
  catalogue: Catalogue
  metadata: DocumentMetadata
  contents: RevisionContents
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

export interface DocumentsDeps extends SharedDeps, Ports {
  scanEveryMs: number
  /** The day of a time in the team's time zone, as ISO 8601. */
  dayOf: (timeMs: number) => string
  comments: Pick<CommentsTable, 'newest' | 'onBlocks' | 'setBlock'>
  documentMoves: DocumentMovesTable
  folderMoves: FolderMovesTable
  formerNames: FormerNamesTable
  formerPages: FormerPagesTable
  journal: JournalTable
  /** The member to whom an edit by this owner of the file is attributed. */
  diskMember: (uid: number) => string
}
