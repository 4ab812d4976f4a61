import type { Attachment, DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { ParsedContent } from '../../markdown/index.ts'
import type { Unreached } from '../../members/unreached.ts'
import type { Change } from '../model/change.ts'
import type { DocumentEvent } from '../model/document-event.ts'

/** Passed in to avoid an import cycle. Unless stated otherwise, rows are written inside a commit. */
export interface Ports {
  events: {
    appendAll(events: readonly DocumentEvent[]): number[]
    remove(tick: number): void
    /** Outside of commits: hides an event, and all after it, from readers until `show`. */
    hide(tick: number): void
    show(tick: number): void
  }
  index: LinkAndSearchIndex
  publications: Publications
  assignments: Assignments
  attachmentFiles: AttachmentFiles
  unreached(
    mentioned: Iterable<readonly [id: string, name: string]>,
    project: Project,
    authorId: string,
  ): Unreached[]
  counts: ProjectCounts
  /** Removes related rows. */
  onPurge(id: string): void
}

interface LinkAndSearchIndex {
  update(change: Pick<Change, 'before' | 'after' | 'content'>): void
  /** Called outside of the change's transaction. */
  rollBack(id: string): void
}

export interface Publications {
  /** @returns the ids of the members who were notified of a mention */
  notify(
    post: DocumentRecord,
    published: { stored: Uint8Array; digest: ParsedContent },
    by: { actorId: string; atMs: number },
  ): string[]
  /** Reverts what the write at that time sent. */
  rollBack(post: DocumentRecord, atMs: number): void
}

export interface Assignments {
  addForCard(
    before: DocumentRecord | null,
    after: DocumentRecord,
    content: { stored: Uint8Array; digest: ParsedContent },
    by: { actorId: string; atMs: number },
  ): void
  /** Reverts what the write at that time sent. */
  rollBack(card: DocumentRecord, atMs: number): void
}

export interface AttachmentFiles {
  /** For a document not recorded yet. @throws WorkspaceError `unavailable`, leaving no copy */
  copy(from: DocumentRecord, to: NewDocument): Promise<Attachment[]>
  /** After the document is recorded. */
  confirm(copies: readonly Attachment[], to: NewDocument): void
  /** If the document is not recorded. */
  discard(copies: readonly Attachment[], to: NewDocument): Promise<void>
  /** @throws DiskError */
  remove(record: DocumentRecord): void
}

interface NewDocument {
  project: Project
  id: string
}

export interface ProjectCounts {
  files(project: Project): Promise<number>
  repositories(projectId: string): number
  pulls(projectId: string): number
}
